# Reads a formula as Homebrew does, as far as a formula of svc goes: each file that it installs
# must be in the archive, each archive in the checksums, and its test must pass.
#
#   ruby formula.rb svc.rb SHA256SUMS ARCHIVE-FOLDER VERSION

formula, sums, $folder, $wanted = ARGV

class Place
  def initialize(name) = @name = name
  def to_s = @name == :bin ? $folder : @name.to_s

  def install(files)
    names = files.is_a?(Hash) ? files.keys : Array(files)
    abort "#{@name}: nothing to install" if names.empty?
    names.each { |name| File.file?(name) or abort "#{@name}: #{name} is not in the archive" }
    @@places = (defined?(@@places) ? @@places : []) << @name
  end

  def self.used = @@places
end

class Formula
  class << self
    attr_reader :archives, :check
    %i[desc homepage license].each { |name| define_method(name) { |text| text.empty? and abort "#{name} is empty" } }
    %i[on_macos on_linux on_arm on_intel].each { |name| define_method(name) { |&block| block.call } }
    def version(text = nil) = text ? @version = text : @version
    def url(text) = (@archives ||= []) << [text]
    def sha256(text) = @archives.last << text
    def test(&block) = @check = block
  end

  %i[bin bash_completion zsh_completion fish_completion man1 man5 man7].each do |name|
    define_method(name) { Place.new(name) }
  end
  def version = self.class.version
  def shell_output(command) = `#{command}`
  def assert_match(part, text) = text.include?(part) || abort("the test: #{part} is not in #{text}")
end

load formula
Svc.version == $wanted or abort "the version is #{Svc.version}"
stated = File.readlines(sums, chomp: true).to_h { |line| line.split('  ', 2).reverse }
Svc.archives.each do |url, sum|
  url.include?("/v#{$wanted}/") && stated[File.basename(url)] == sum or abort "#{url}: #{sum} is not in the checksums"
end
Svc.new.install
Place.used.uniq.size == 7 or abort "it installs into #{Place.used}"
Svc.new.instance_eval(&Svc.check)
