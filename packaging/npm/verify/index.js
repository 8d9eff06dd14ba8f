// @model-catalog-service/verify: what became of published claims, worked out where this runs.
import './wasm_exec.js'

let ready

/** Loads the program, once. Whoever verifies waits for it anyway. */
export function load(source = new URL('verify.wasm', import.meta.url)) {
  ready ??= start(source).catch((error) => {
    ready = undefined
    throw error
  })
  return ready
}

async function start(source) {
  const bytes = source instanceof URL ? await read(source) : await source
  const go = new globalThis.Go()
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject)
  return new Promise((resolve, reject) => {
    globalThis.takeVerify = (functions) => {
      delete globalThis.takeVerify
      resolve(functions)
    }
    go.run(instance).then(() => reject(new Error('verify ended')), reject)
  })
}

async function read(url) {
  if (url.protocol === 'file:') return (await import('node:fs/promises')).readFile(url)
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return response.arrayBuffer()
}

/** Holds answers against the bundle that they are about, and derives what became of its claims. */
export async function verify(bundle, answers, options = {}) {
  const { verify } = await load()
  const list = (Array.isArray(answers) ? answers : [answers])
    .map((answer) => (typeof answer?.text === 'string' ? answer : { text: text(answer) }))
  const { memory, ...others } = options
  const now = options.now ?? new Date().toISOString()
  const request = JSON.stringify({ bundle: text(bundle), answers: list, options: { ...others, now } })
  const texts = memory && {
    recall: async (source) => JSON.stringify(await memory.recall(source) ?? []),
    keep: async (source, kept) => { await memory.keep(source, JSON.parse(kept)); return '' },
  }
  return result(await new Promise((done) => verify(request, texts, done)))
}

/** Asks for the claims of a bundle, and returns the answers for verify. */
export async function ask(bundle, send, options = {}) {
  const { ask } = await load()
  const request = JSON.stringify({ bundle: text(bundle), options })
  return result(await new Promise((done) => ask(request, async (question) => send(question), done)))
}

const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value))

function result(json) {
  const { result, error, faults } = JSON.parse(json)
  if (error) throw Object.assign(new Error(error), { faults: faults ?? [] })
  return result
}
