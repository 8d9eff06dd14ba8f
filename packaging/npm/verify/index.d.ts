/** The JSON of a document: its text, or what JSON.parse makes of it. Signatures need the text as it came. */
export type JSONText = string | object

/** What is known of a claim. */
export type Status =
  | 'unknown' | 'proposed' | 'assumed' | 'verified' | 'stale' | 'disputed' | 'superseded' | 'rejected' | 'revoked'

/** What came back when a question was asked. */
export interface Answer {
  text: string
  /** That were asked for; absent if nobody knows. */
  refs?: string[]
  /** That must come back; absent if none must. */
  nonce?: string
  /** The refs may name claims otherwise than by their ids. */
  byRef?: boolean
}

export interface VerifyOptions {
  /** The instant of all statuses, RFC 3339; the clock's if it is absent. */
  now?: string
  /** By which all statuses are derived; 4 if it is absent. */
  statusFunctionVersion?: '2' | '3' | '4'
  /** Public keys in PEM. If there are any, one of them must have signed each answer. */
  keys?: string[]
  /** The status that every claim must have. */
  require?: Status
  /** A claim that is no longer verified is no refusal. */
  allowFall?: boolean
  /** A claim that says something else may meet require. */
  allowChange?: boolean
  /** How old an answer may be that meets require: a day if it is absent, any age if it is below 0. */
  maxAgeSeconds?: number
  /** Keeps answers, so that a source cannot take back what it said; absent for none. */
  memory?: Memory
}

/**
 * Keeps the answers of each source from one call to the next, as they came: an older answer is not taken then, a
 * revocation that a later one leaves out stays, and who has signed must sign again. One call at a time may use it.
 */
export interface Memory {
  /** The answers that are kept of a source, in any order; none if there are none. */
  recall(source: string): string[] | null | undefined | Promise<string[] | null | undefined>
  /** Replaces the answers that are kept of a source. */
  keep(source: string, answers: string[]): void | Promise<void>
}

export interface AskOptions {
  /** To ask for; absent for the ids of the claims. */
  refs?: string[]
  /** The nonces that are sent need not come back. */
  noNonce?: boolean
  /** Of all answers together; 64 MiB if it is absent. */
  maxBytes?: number
}

/** What is known after asking what became of the claims. */
export interface Receipt {
  /** Nothing was refused, and all could be checked. */
  ok: boolean
  now: string
  statusFunctionVersion: string
  answers: AnswerReceipt[]
  claims: ClaimReceipt[]
  outcomes: Outcome[]
}

export interface AnswerReceipt {
  ageSeconds: number | null
  digest: string
  /** Of the given key that signed; null if none was given. */
  keyId: string | null
  respondedAt: string
  source: string
  statusFunctionVersion: string
}

export interface ClaimReceipt {
  id: string
  /** From what is held alone. */
  before: Status | null
  /** From what is held and the answers. */
  after: Status | null
  answered: boolean
  changed: boolean
  replaced: boolean
  note: string | null
}

export interface Outcome {
  /** Such as STATUS_FELL or BAD_SIGNATURE. */
  code: string
  message: string
  records: RecordID[]
}

export interface RecordID {
  collection: string
  id: string
}

/** What is wrong with a document. An error that is about none has no faults. */
export interface VerifyError extends Error {
  faults: { code: string; path: string; reason: string }[]
}

/** Loads the program, once: from beside this module, or from bytes. verify and ask load it, too. */
export function load(source?: URL | BufferSource | Promise<BufferSource>): Promise<unknown>

/** Holds answers against the bundle that they are about, and derives what became of its claims. */
export function verify(
  bundle: JSONText, answers: JSONText | Answer | (JSONText | Answer)[], options?: VerifyOptions,
): Promise<Receipt>

/** Asks for the claims of a bundle, 256 at a time, and returns the answers for verify. */
export function ask(bundle: JSONText, send: (question: string) => Promise<string>, options?: AskOptions): Promise<Answer[]>
