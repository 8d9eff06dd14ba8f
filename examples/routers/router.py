"""Chooses a model for each job by asking svc, with nothing but the standard library.

    svc serve --catalog catalog.json &
    python3 router.py http://127.0.0.1:4244 request.json

Each line of standard input is a job; for each, the candidates to try are printed, best
first. In a program, import Router and call candidates() before each job.
"""

import json
import sys
import time
import urllib.error
import urllib.request
from typing import NamedTuple

PATIENCE = 3  # how often a busy server is asked
LONGEST_PAUSE = 5.0  # seconds, whatever Retry-After says


class Candidate(NamedTuple):
    id: str
    model: str
    among_best: bool | None  # nobody is shown to be better; None: nothing is known
    coverage: float  # share of the weight for which there is evidence, 0 to 1


class NoCandidate(Exception):
    """Nobody may do the job: the text says why, for each candidate."""


class Unavailable(Exception):
    """The server gave no answer, and there is no earlier one."""


class Router:
    def __init__(self, url, request, max_age=60.0, minimum_coverage=1.0):
        self.url = url.rstrip("/")
        self.request = json.dumps(request).encode()
        self.max_age = max_age  # seconds for which an answer is used unasked
        self.minimum_coverage = minimum_coverage
        self.etag = self.answer = None
        self.asked = float("-inf")
        self.warning = None  # why an old answer is in use

    def candidates(self):
        """The candidates to try. Start the first, which svc chose; if it fails, the next."""
        self._refresh()
        chosen = (self.answer["choice"] or {}).get("candidateId")
        known = [
            Candidate(c["candidateId"], c["model"]["id"], c["amongBest"], c["coverage"])
            for c in sorted(self.answer["ranked"], key=lambda c: c["candidateId"] != chosen)
            # Without evidence a preference gives nothing: such a candidate is not
            # bad but unknown, and its low score says nothing about the model.
            if c["coverage"] >= self.minimum_coverage
        ]
        if not known:
            raise NoCandidate("; ".join(self._obstacles()))
        return known

    def _obstacles(self):
        """Why each candidate is out. Excluded ones never run, whatever the reason."""
        for c in self.answer["excluded"]:
            for reason in c["reasons"]:
                if reason["code"] != "REQUIREMENT_MET":
                    yield f"{c['candidateId']}: {reason['summary']}"
        for c in self.answer["ranked"]:
            yield f"{c['candidateId']}: evidence for {c['coverage']:.0%} of the weight"

    def _refresh(self):
        if self.answer and time.monotonic() - self.asked < self.max_age:
            return
        try:
            # An answer depends on the request and the catalog alone. The ETag is the
            # catalog's, so as long as that is the same, so is the answer.
            if not (self.answer and self._ask("/v1/models", etag=self.etag) is None):
                self.answer = self._ask("/v1/rank", body=self.request)
            self.warning = None
        except Unavailable as reason:
            if not self.answer:
                raise
            self.warning = f"{reason}; using the answer of catalog {self.answer['catalog']['digest'][:12]}"
        self.asked = time.monotonic()

    def _ask(self, path, body=None, etag=None):
        """The answer as a document, or None if nothing has changed since etag."""
        headers = {"If-None-Match": etag} if etag else {}
        question = urllib.request.Request(self.url + path, data=body, headers=headers)
        reason = None
        for attempt in range(PATIENCE):
            try:
                with urllib.request.urlopen(question, timeout=10) as response:
                    answer = json.load(response)
                    if body:
                        self.etag = response.headers["ETag"]
                    return answer
            except urllib.error.HTTPError as error:
                if error.code == 304:
                    return None
                if error.code < 500:  # the request is wrong; asking again does not help
                    raise ValueError(json.load(error)["error"]["message"]) from None
                reason = f"{self.url} answers {error.code}"
                pause = float(error.headers.get("Retry-After") or 1)
            except OSError as error:
                reason, pause = f"{self.url}: {error}", 1.0
            if attempt < PATIENCE - 1:
                time.sleep(min(pause, LONGEST_PAUSE))
        raise Unavailable(reason)


def main(url, path, max_age="60"):
    with open(path, encoding="utf-8") as file:
        router = Router(url, json.load(file), max_age=float(max_age))
    for job in sys.stdin:
        try:
            names = ", ".join(f"{c.id} ({c.model})" for c in router.candidates())
            print(f"{job.rstrip()}: {names}", flush=True)
        except (NoCandidate, Unavailable, ValueError) as reason:
            print(f"{job.rstrip()}: nobody: {reason}", flush=True)
        if router.warning:
            print(f"warning: {router.warning}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
