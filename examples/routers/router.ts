// Chooses a model for each job by asking svc. Runs wherever there is fetch: Node, Deno,
// Bun, browsers.
//
//	const router = new Router("http://127.0.0.1:4244", request);
//	for (const candidate of await router.candidates()) {
//	  if (await start(candidate)) break;
//	}

export interface Candidate {
  id: string;
  model: string;
  /** Nobody is shown to be better; null: nothing is known. */
  amongBest: boolean | null;
  /** Share of the weight for which there is evidence, 0 to 1. */
  coverage: number;
}

/** Nobody may do the job: the message says why, for each candidate. */
export class NoCandidate extends Error {}

/** The server gave no answer, and there is no earlier one. */
export class Unavailable extends Error {}

/** The request is wrong: asking again does not help. */
export class BadRequest extends Error {}

/** What a router reads of service.rank.result/v3. */
interface Answer {
  catalog: { digest: string };
  choice: { candidateId: string } | null;
  ranked: { candidateId: string; model: { id: string }; amongBest: boolean | null; coverage: number }[];
  excluded: { candidateId: string; reasons: { code: string; summary: string }[] }[];
}

export interface Options {
  /** Seconds for which an answer is used unasked. */
  maxAge?: number;
  /** Candidates with less evidence are left out. */
  minimumCoverage?: number;
}

const patience = 3; // how often a busy server is asked
const longestPause = 5; // seconds, whatever Retry-After says

export class Router {
  /** Why an old answer is in use. */
  warning: string | undefined;
  private answer: Answer | undefined;
  private etag = "";
  private asked = -Infinity;
  private readonly url: string;
  private readonly request: string;
  private readonly maxAge: number;
  private readonly minimumCoverage: number;

  constructor(url: string, request: object, options: Options = {}) {
    this.url = url.replace(/\/+$/, "");
    this.request = JSON.stringify(request);
    this.maxAge = options.maxAge ?? 60;
    this.minimumCoverage = options.minimumCoverage ?? 1;
  }

  /** The candidates to try. Start the first, which svc chose; if it fails, the next. */
  async candidates(): Promise<Candidate[]> {
    const answer = await this.current();
    const isChosen = (c: { candidateId: string }) => c.candidateId === answer.choice?.candidateId;
    const known = [...answer.ranked.filter(isChosen), ...answer.ranked.filter((c) => !isChosen(c))]
      // Without evidence a preference gives nothing: such a candidate is not bad but
      // unknown, and its low score says nothing about the model.
      .filter((c) => c.coverage >= this.minimumCoverage)
      .map((c) => ({ id: c.candidateId, model: c.model.id, amongBest: c.amongBest, coverage: c.coverage }));
    if (known.length === 0) throw new NoCandidate(obstacles(answer).join("; "));
    return known;
  }

  private async current(): Promise<Answer> {
    const old = this.answer;
    if (old && performance.now() / 1000 - this.asked < this.maxAge) return old;
    try {
      // An answer depends on the request and the catalog alone. The ETag is the
      // catalog's, so as long as that is the same, so is the answer.
      const unchanged = old && (await this.ask("/v1/models", { headers: { "If-None-Match": this.etag } })) === undefined;
      if (!unchanged) this.answer = (await this.ask("/v1/rank", { method: "POST", body: this.request })) as Answer;
      this.warning = undefined;
    } catch (reason) {
      if (!(reason instanceof Unavailable) || !old) throw reason;
      this.warning = `${reason.message}; using the answer of catalog ${old.catalog.digest.slice(0, 12)}`;
    }
    this.asked = performance.now() / 1000;
    return this.answer!;
  }

  /** The answer as a document, or undefined if nothing has changed. */
  private async ask(path: string, init: RequestInit): Promise<unknown> {
    let reason = "";
    for (let attempt = 0; attempt < patience; attempt++) {
      let pause = 1;
      try {
        const response = await fetch(this.url + path, { ...init, signal: AbortSignal.timeout(10_000) });
        if (response.status === 304) return undefined;
        const document = await response.json();
        if (response.ok) {
          if (init.body) this.etag = response.headers.get("ETag") ?? "";
          return document;
        }
        if (response.status < 500) throw new BadRequest((document as { error: { message: string } }).error.message);
        reason = `${this.url} answers ${response.status}`;
        pause = Number(response.headers.get("Retry-After") ?? 1);
      } catch (fault) {
        if (fault instanceof BadRequest) throw fault;
        reason = `${this.url}: ${fault instanceof Error ? fault.message : fault}`;
      }
      if (attempt < patience - 1) {
        await new Promise((resolve) => setTimeout(resolve, Math.min(pause, longestPause) * 1000));
      }
    }
    throw new Unavailable(reason);
  }
}

/** Why each candidate is out. Excluded ones never run, whatever the reason. */
function obstacles(answer: Answer): string[] {
  const excluded = answer.excluded.flatMap((c) =>
    c.reasons.filter((r) => r.code !== "REQUIREMENT_MET").map((r) => `${c.candidateId}: ${r.summary}`),
  );
  const unknown = answer.ranked.map((c) => `${c.candidateId}: evidence for ${Math.round(c.coverage * 100)}% of the weight`);
  return [...excluded, ...unknown];
}
