package bundle

// ReadSmall is Read of a text of at most so many bytes.
var ReadSmall = read

// MostText is how many bytes the text of a bundle may have.
const MostText = mostText
