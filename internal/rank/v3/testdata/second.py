"""Ranks by rank requests of version 3, written from docs/ranking.md and docs/certainty.md.

Each line of standard input is {"observations": [...], "asOf": ..., "request": ...}: observations as a
catalog has them, and a request in normal form. For each, a line is printed with what the result says,
as canonical JSON: all but the sentences, the uncertainty and the ambiguity.
"""

import json
import math
import sys
from functools import cmp_to_key, lru_cache
from math import fsum, sqrt

# --- numbers ---------------------------------------------------------------------------------------


def number(x):
    """A number as canonical JSON writes it."""
    x = float(x)
    if x == 0:
        return "0"
    if x == int(x) and abs(x) < 1e21:
        return str(int(x))
    mantissa, _, exponent = repr(x).partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    rest = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def canonical(v):
    if v is None:
        return "null"
    if v is True or v is False:
        return "true" if v else "false"
    if isinstance(v, (int, float)):
        return number(v)
    if isinstance(v, str):
        return json.dumps(v, ensure_ascii=False)
    if isinstance(v, list):
        return "[" + ",".join(map(canonical, v)) + "]"
    return "{" + ",".join(canonical(k) + ":" + canonical(v[k]) for k in sorted(v)) + "}"


def mean(values):
    return fsum(values) / len(values)


# --- quantiles -------------------------------------------------------------------------------------


def bisect(high, is_below):
    low, top = 0.0, 1.0
    while top < high:
        if not is_below(top):
            high = top
            break
        low = top
        top *= 2
    while True:
        middle = low + (high - low) / 2
        if middle <= low or middle >= high:
            return high
        if is_below(middle):
            low = middle
        else:
            high = middle


def exponential(x):
    part, total, t, k = x / 4096, 0.0, 1.0, 1.0
    while t > 1e-20:
        total += t
        t = t * part / k
        k += 1
    for _ in range(12):
        total *= total
    return total


def normal_tail(z):
    density = exponential(z * z / 2) * sqrt(2 * math.pi)
    if z < 2:
        total, t, k = 0.0, z, 1.0
        while t > total * 1e-18:
            total += t
            t = t * z * z / (k + 2)
            k += 2
        return 1 - 2 * total / density
    fraction = z
    for k in range(200, 0, -1):
        fraction = z + k / fraction
    return 2 / (density * fraction)


def arctangent(x):
    for _ in range(2):
        x = x / (1 + sqrt(1 + x * x))
    square, total, power, k = x * x, 0.0, x, 1.0
    while power != 0 and abs(power) > 1e-19:
        total += power / k
        power = -power * square
        k += 2
    return 4 * total


def student_tail(t, freedom):
    x = t / sqrt(freedom)
    c = 1 / (1 + x * x)
    sine, odd = x * sqrt(c), freedom % 2 == 1
    term, k = (sine * sqrt(c) * 2 / math.pi, 2.0) if odd else (sine, 1.0)
    inside = 0.0
    for _ in range(freedom // 2):
        inside += term
        term = term * c * k / (k + 1)
        k += 2
    if c >= 0.75:
        if odd:
            inside += 2 * arctangent(x) / math.pi
        return 1 - inside
    outside = 0.0
    while term > outside * 1e-18:
        outside += term
        term = term * c * k / (k + 1)
        k += 2
    return outside


@lru_cache(None)
def normal(level):
    tail = 1 - level
    return bisect(40.0, lambda z: normal_tail(z) > tail)


@lru_cache(None)
def student(level, freedom):
    tail = 1 - level
    return bisect(float(1 << 40), lambda t: student_tail(t, freedom) > tail)


# --- intervals: (low, high), or None if nothing is known ---------------------------------------------


def wilson(p, n, q):
    s = q * q
    d = 1 + s / n
    center = (p + s / (2 * n)) / d
    half = q * sqrt(p * (1 - p) / n + s / (4 * n * n)) / d
    low, high = max(0.0, center - half), min(1.0, center + half)
    return (0.0 if p == 0 else low, 1.0 if p == 1 else high)


def mean_variance(values):
    if all(x == values[0] for x in values):
        return 0.0
    m, n = mean(values), float(len(values))
    return fsum((x - m) * (x - m) for x in values) / (n * (n - 1))


def benchmark(means, trials, q):
    p, m = mean(means), float(len(means))
    variance = fsum(x * (1 - x) / n for x, n in zip(means, trials)) / (m * m)
    return wilson(p, p * (1 - p) / variance if variance > 0 else fsum(trials), q)


def tasks_interval(means, q):
    p, variance, m = mean(means), mean_variance(means), float(len(means))
    return wilson(p, max(m, p * (1 - p) / variance) if variance > 0 else m, q)


def around(value, error, q):
    margin = q * error
    return (value - margin, value + margin)


# --- matching --------------------------------------------------------------------------------------

WHOLES = {
    "runtime": ["runtime", "runtime.id", "runtime.version"],
    "adapter": ["adapter", "adapter.id", "adapter.version"],
    "hardware": ["hardware", "hardware.accelerator", "hardware.class", "hardware.memoryBytes"],
    "workflow": ["workflow", "workflow.id", "workflow.version"],
    "execution": ["execution", "effectiveContextTokens", "toolSurface", "workflow.condition"],
}
for _name in ("runtime", "adapter", "hardware", "workflow"):
    WHOLES["execution"] = WHOLES["execution"] + WHOLES[_name]

MEMBERS = {"runtime": ["id", "version"], "adapter": ["id", "version"], "hardware": ["class", "accelerator", "memoryBytes"],
           "workflow": ["id", "version", "condition"]}


def covered(transfer):
    names = set()
    for t in transfer:
        names.update(WHOLES.get(t, [t]))
    return names


class Match:
    """How far the scope of an observation and a candidate agree."""

    def __init__(self, model, scope, candidate):
        self.asserted, self.wildcarded, self.differing = set(), set(), set()
        for name in ("revision", "quantization"):
            if model[name] != candidate["model"][name]:
                self.differing.add("model." + name)
        if scope is None:
            self.kind = "global"
            self.wildcarded.add("execution")
            return
        self.kind = scope["kind"]
        exact, own = self.kind == "exact", candidate["execution"]
        for whole, members in MEMBERS.items():
            given, has = scope[whole], own[whole]
            if given is None:
                self.note(whole, exact, has is None)
                continue
            if has is None:
                self.differing.add(whole)
            for i, m in enumerate(members):
                self.note(whole + "." + m, i == 0 or exact or given[m] is not None, has is None or given[m] == has[m])
        tokens, tools = scope["effectiveContextTokens"], scope["toolSurface"]
        self.note("effectiveContextTokens", exact or tokens is not None, tokens == own["effectiveContextTokens"])
        self.note("toolSurface", tools is not None, tools == own["toolSurface"])

    def note(self, name, asserted, same):
        if not asserted:
            self.wildcarded.add(name)
            return
        self.asserted.add(name)
        if not same:
            self.differing.add(name)

    def specificity(self):
        n = len(self.differing)
        if self.kind == "exact":
            return (n, 0, 0)
        return (n, 1, -len(self.asserted)) if self.kind == "partial" else (n, 2, 0)


def joined(condition, joins):
    """A condition without the parts that tell no variants apart."""
    if condition is None or not joins:
        return condition
    parts = [p for p in condition.split(",") if p.split("=")[0] not in joins]
    return ",".join(parts) or None


ORDER = ["missing", "stale", "incomparable", "ambiguous", "conflict", "ok"]


class Cell:
    def __init__(self):
        self.status, self.value, self.unit, self.terms = "missing", None, None, []
        self.applicability = {k: set() for k in ("asserted", "matched", "mismatched", "transferred", "wildcarded")}
        self.observations, self.overruled, self.tasks = [], [], []
        self.basis, self.low, self.high, self.size = None, None, None, None
        self.n, self.trials, self.own, self.public = 0, 0.0, 0, 0
        self.met = self.scored = self.mixed = False
        self.lowest = None  # of a number that lists contradict each other about
        self.normalized = self.contribution = 0.0

    @property
    def numeric(self):
        return self.status == "ok" and isinstance(self.value, (int, float)) and not isinstance(self.value, bool)

    @property
    def known(self):
        return self.basis not in (None, "unknown")


class Entry:
    __slots__ = ("observation", "value", "unit", "fresh")

    def __init__(self, observation, measurement, as_of):
        self.observation, self.value, self.unit = observation, measurement["value"], measurement.get("unit")
        until = observation["freshness"]["validUntil"]
        self.fresh = observation["freshness"]["observedAt"] <= as_of and (until is None or as_of < until)


def cluster(o):
    t = o["task"]
    if t and t["taskId"] is not None:
        return canonical({"task": [t["family"], t["suite"], t["taskId"]]}), True
    return canonical({"evidence": [e["id"] for e in o["evidence"]]}), False


class Ranking:
    def __init__(self, document):
        self.as_of, self.request = document["asOf"], document["request"]
        self.by_model = {}
        for o in sorted(document["observations"], key=lambda o: o["id"]):
            self.by_model.setdefault(o["model"]["id"], []).append(o)
        self.confidence = self.request["confidence"]
        self.keys = self.request["keys"]

    # What the dictionary says of a key: the entry of its name, or the longest pattern.
    def about(self, key):
        best = None
        for k in self.keys:
            if k["key"] == key:
                return k
            if k["key"].endswith("*") and key.startswith(k["key"][:-1]) and (best is None or len(k["key"]) > len(best["key"])):
                best = k
        return best

    # --- one measure ---

    def read(self, m, candidate):
        out = Cell()
        about = self.about(m["measurementKey"])
        joins = about["joins"] if about else []
        kind = "fact" if m["aggregation"] == "fact" else "sample"
        allowed, task = covered(m["transfer"]), m["task"]
        own_workflow = candidate["execution"]["workflow"]
        levels = {"scoped": [], "matching": [], "fresh": []}
        matches = {}
        for o in self.by_model.get(candidate["model"]["id"], []):
            for measured in o["measurements"]:
                if measured["key"] != m["measurementKey"] or measured["kind"] != kind:
                    continue
                e = Entry(o, measured, self.as_of)
                t = o["task"]
                fits = t is None or all(task[a] is None or task[a] == t[b] for a, b in (("family", "family"), ("suite", "suite"), ("taskId", "taskId")))
                invalid = o["outcome"] is not None and o["outcome"]["status"] == "invalid"
                if invalid or not fits or o["sourceClass"] not in m["sourceClasses"] or m["unit"] is not None and e.unit != m["unit"]:
                    continue
                match = Match(o["model"], o["execution"], candidate)
                condition = joined((o["execution"] or {}).get("workflow") and o["execution"]["workflow"]["condition"], joins)
                if own_workflow is None:
                    if condition is not None:
                        match.differing.add("workflow.condition")
                elif (o["execution"] or {}).get("kind") == "exact" and o["execution"]["workflow"] is None:
                    if joined(own_workflow["condition"], joins) is not None:
                        match.differing.add("workflow.condition")
                elif "workflow.condition" in match.differing and condition == joined(own_workflow["condition"], joins):
                    match.differing.discard("workflow.condition")
                matches[id(e)] = match
                if match.differing - allowed:
                    levels["scoped"].append(e)
                elif not e.fresh:
                    levels["matching"].append(e)
                else:
                    levels["fresh"].append(e)
        level = next((name for name in ("fresh", "matching", "scoped") if levels[name]), None)
        used = found = levels[level] if level else []
        out.status = {None: "missing", "scoped": "incomparable", "matching": "stale", "fresh": "ok"}[level]
        if level == "fresh":
            self.contested = None
            used, one = self.choose(m, found, matches, joins)
            self.reduce(m, about, used, one, joins, out)
            if out.numeric:
                out.lowest = self.contested
            out.overruled = [e.observation["id"] for e in found if e not in used]
        out.observations = [e.observation["id"] for e in used]
        for e in used:
            match, a = matches[id(e)], out.applicability
            a["asserted"] |= match.asserted
            a["wildcarded"] |= match.wildcarded
            if level == "scoped":
                a["mismatched"] |= match.differing - allowed
            else:
                a["matched"].add(match.kind)
                a["transferred"] |= match.differing
        return out

    def group(self, e, m, joins):
        o = e.observation
        scope = o["execution"]
        if scope and scope["workflow"] and joins:
            scope = dict(scope, workflow=dict(scope["workflow"], condition=joined(scope["workflow"]["condition"], joins)))
        t = o["task"]
        pools = m["aggregation"] in ("mean", "success-rate") and o["sourceClass"] == "first-party"
        return canonical([o["model"], scope, (t or pools) and [t and t["family"], not pools and t["suite"],
                                                               t and t["evaluator"]], o["sourceClass"]])

    def choose(self, m, fresh, matches, joins):
        direct = [e for e in fresh if not matches[id(e)].differing]
        if m["aggregation"] not in ("mean", "success-rate"):
            return self.resolve(m, direct or fresh, matches, joins)
        own = [e for e in fresh if e.observation["sourceClass"] == "first-party"]
        if "first-party" in m["resolve"]:
            own = []
        chosen, tasks, past, one = set(), set(), set(), True
        for tier in (direct, own, fresh):
            tier = [e for e in tier if id(e) not in past]
            past |= set(map(id, tier))
            tier = [e for e in tier if cluster(e.observation) not in tasks]
            tasks |= {cluster(e.observation) for e in tier}
            if tier:
                used, also = self.resolve(m, tier, matches, joins)
                chosen, one = chosen | set(map(id, used)), one and also
        return [e for e in fresh if id(e) in chosen], one

    def resolve(self, m, used, matches, joins):
        fact = m["aggregation"] == "fact"

        def agreed():
            if fact:
                return len({(canonical(e.value), e.unit) for e in used}) == 1
            return len({self.group(e, m, joins) for e in used}) == 1

        for step in m["resolve"]:
            if agreed():
                return used, True
            if step == "most-specific":
                least = min(matches[id(e)].specificity() for e in used)
                used = [e for e in used if matches[id(e)].specificity() == least]
            elif step == "first-party":
                used = [e for e in used if e.observation["sourceClass"] == "first-party"] or used
            elif step == "highest":
                if len({e.unit for e in used}) == 1 and not any(isinstance(e.value, (bool, str)) for e in used):
                    self.contested, most = float(min(e.value for e in used)), max(e.value for e in used)
                    used = [e for e in used if e.value == most]
            else:
                latest = {}
                for e in used:
                    g = id(e) if fact else self.group(e, m, joins)
                    latest[g] = max(latest.get(g, ""), e.observation["freshness"]["observedAt"])
                newest = max(latest.values())
                used = [e for e in used if latest[id(e) if fact else self.group(e, m, joins)] == newest]
        return used, agreed()

    def reduce(self, m, about, used, one, joins, out):
        how = m["aggregation"]
        units = {e.unit for e in used}
        if how == "fact":
            if len(units) > 1:
                out.status = "incomparable"
            elif not one:
                out.status = "conflict"
            else:
                out.value = used[0].value
            out.unit = used[0].unit
            if out.numeric:
                out.basis, out.low, out.high = "exact", out.value, out.value
            return
        if not one:
            out.status = "ambiguous"
            return
        numbers = all(not isinstance(e.value, (bool, str)) for e in used)
        bools = all(isinstance(e.value, bool) for e in used)
        if how == "count":
            out.value = len(used)
            out.basis, out.low, out.high = "exact", out.value, out.value
            return
        out.unit = used[0].unit
        if len(units) > 1 or not (bools if how == "success-rate" else numbers):
            out.status = "incomparable"
            return
        if how in ("min", "max"):
            out.value, out.basis = (min if how == "min" else max)(e.value for e in used), "unknown"
            return
        self.average(m, about, used, out)

    # --- means, task first ---

    def average(self, m, about, used, out):
        by_task = {}
        for e in used:
            by_task.setdefault(cluster(e.observation), []).append(e)
        for key in sorted(by_task):
            entries = by_task[key]
            sizes = [self.size(m, about, e) for e in entries]
            trials = sum(n for n, _ in sizes) if all(n > 0 for n, _ in sizes) else 0.0
            variance = 0.0
            for _, error in sizes:
                variance += error * error
            n = float(len(entries))
            variance = variance / (n * n) if all(error > 0 for _, error in sizes) else 0.0
            out.tasks.append({"key": key, "mean": mean([float(e.value) for e in entries]), "trials": trials, "variance": variance})
        out.value = mean([t["mean"] for t in out.tasks])
        out.n = len(out.tasks)
        for e in used:
            if e.observation["sourceClass"] == "first-party":
                out.own += 1
            else:
                out.public += 1
        target = self.request["target"]
        trials, errors = all(t["trials"] > 0 for t in out.tasks), all(t["variance"] > 0 for t in out.tasks)
        bounds = self.bounds(m, about, out.tasks)
        if errors and target != "tasks":
            out.basis = "published"
        elif trials and bounds and target != "tasks":
            out.basis, out.trials = "benchmark", sum(t["trials"] for t in out.tasks)
            size = about and about["size"]
            if m["aggregation"] == "success-rate" or not size or size["trials"] is not None:
                out.size = "measured"
            else:
                out.size = "inferred" if size["basis"] == "inferred" else "stated"
        elif out.n >= 2 and target != "benchmark":
            out.basis = "tasks"
        else:
            out.basis = "unknown"
        i = self.interval_of_mean(m, about, out.basis, out.value, out.tasks, self.confidence)
        if i is None:
            out.basis = "unknown"
        else:
            out.low, out.high = i

    def size(self, m, about, e):
        if m["aggregation"] == "success-rate":
            return (1.0, 0.0) if self.request["target"] == "benchmark" else (0.0, 0.0)
        size = about and about["size"]
        if not size:
            return 0.0, 0.0
        if size["tasks"] is not None:
            t = e.observation["task"]
            return float(size["tasks"].get(t["taskId"] if t else None, 0)), 0.0
        for name, at in (("trials", 0), ("standardError", 1)):
            if size[name] is not None:
                for other in e.observation["measurements"]:
                    v = other["value"]
                    if other["key"] == size[name] and other["kind"] == "sample" and not isinstance(v, (bool, str)):
                        return (max(0.0, float(v)), 0.0) if at == 0 else (0.0, max(0.0, float(v)))
        return 0.0, 0.0

    def bounds(self, m, about, tasks):
        if m["aggregation"] == "success-rate":
            return (0.0, 1.0)
        if not about or about["bounds"] is None:
            return None
        low, high = float(about["bounds"]["low"]), float(about["bounds"]["high"])
        return None if any(t["mean"] < low or t["mean"] > high for t in tasks) else (low, high)

    def interval_of_mean(self, m, about, basis, value, tasks, level):
        bounds = self.bounds(m, about, tasks)
        if basis == "published":
            low, high = around(value, sqrt(fsum(t["variance"] for t in tasks)) / len(tasks), normal(level))
            return (max(low, bounds[0]), min(high, bounds[1])) if bounds else (low, high)
        if basis not in ("benchmark", "tasks"):
            return None
        means = [t["mean"] for t in tasks]
        if not bounds:
            variance = mean_variance(means)
            return around(mean(means), sqrt(variance), student(level, len(means) - 1)) if variance > 0 else None
        low, width = bounds[0], bounds[1] - bounds[0]
        means = [(x - low) / width for x in means]
        if basis == "benchmark":
            i = benchmark(means, [t["trials"] for t in tasks], normal(level))
        else:
            i = tasks_interval(means, student(level, len(means) - 1))
        a, b = low + i[0] * width, low + i[1] * width
        return max(low, min(a, value)), min(bounds[1], max(b, value))

    # --- criteria ---

    def evaluate(self, criterion, candidate):
        if criterion.get("sum") is None:
            return self.read(criterion, candidate)
        out = Cell()
        out.terms = []
        for term in criterion["sum"]:
            for i, key in enumerate(term.get("prices", [term["measurementKey"]])):
                cell = self.read(dict(term, measurementKey=key), candidate)
                if cell.status not in ("missing", "incomparable"):
                    break
            out.terms.append(cell)
        for cell in out.terms:
            for name in out.applicability:
                out.applicability[name] |= cell.applicability[name]
        out.observations = sorted({o for c in out.terms for o in c.observations})
        out.overruled = sorted({o for c in out.terms for o in c.overruled})
        out.status = min((("incomparable" if c.status == "ok" and not c.numeric else c.status) for c in out.terms), key=ORDER.index)
        if out.status != "ok":
            return out
        out.value = fsum(t["factor"] * float(c.value) for t, c in zip(criterion["sum"], out.terms))
        if any(c.lowest is not None for c in out.terms):
            out.lowest = fsum(t["factor"] * float(c.value if c.lowest is None else c.lowest) for t, c in zip(criterion["sum"], out.terms))
        if all(c.unit == "USD/token" for c in out.terms):
            out.unit = "USD"
        out.own, out.public = sum(c.own for c in out.terms), sum(c.public for c in out.terms)
        out.basis = "exact" if all(c.basis == "exact" for c in out.terms) else "sum"
        i = self.interval(criterion, out, self.confidence)
        if i is None:
            out.basis = "unknown"
        else:
            out.low, out.high = (out.value, out.value) if out.basis == "exact" else i
        return out

    def interval(self, criterion, cell, level):
        """The interval of a cell at a level."""
        if criterion.get("sum") is None:
            if cell.basis == "exact":
                return (cell.value, cell.value)
            return self.interval_of_mean(criterion, self.about(criterion["measurementKey"]), cell.basis, cell.value, cell.tasks, level)
        below, above = [], []
        for term, c in zip(criterion["sum"], cell.terms):
            i = self.interval(dict(term, sum=None), c, level)
            if i is None:
                return None
            f = term["factor"]
            down, up = f * (c.value - i[0]), f * (i[1] - c.value)
            if f < 0:
                down, up = up, down
            below.append(down * down)
            above.append(up * up)
        return cell.value - sqrt(fsum(below)), cell.value + sqrt(fsum(above))

    # --- ranking ---

    def rank(self):
        q = self.request
        self.candidates = q["inventory"]
        self.criteria = {"requirement": q["requirements"], "preference": q["preferences"], "tieBreaker": list(q["tieBreakers"])}
        if q["cost"] is not None:
            cost = self.cost_criterion(q["cost"])
            if cost:
                self.criteria["tieBreaker"].append(cost)
        n = len(self.candidates)
        self.cells = {role: [None] * n for role in self.criteria}
        self.why = [None] * n
        for i, c in enumerate(self.candidates):
            cells = self.cells["requirement"][i] = [self.evaluate(k, c) for k in self.criteria["requirement"]]
            for k, cell in zip(self.criteria["requirement"], cells):
                cell.met = cell.status == "ok" and meets(k, cell)
            if not all(cell.met for cell in cells):
                self.why[i] = "requirement"
            else:
                self.cells["preference"][i] = [self.evaluate(k, c) for k in self.criteria["preference"]]
        self.settle("preference")
        self.cover()
        self.ends = [self.score(k) for k in range(len(self.criteria["preference"]))]
        self.scores = [fsum(c.contribution for c in (self.cells["preference"][i] or []) if c.scored) if not self.why[i] else 0.0 for i in range(n)]
        self.ranked = [i for i in range(n) if not self.why[i]]
        self.excluded = [i for i in range(n) if self.why[i]]
        for i in self.ranked:
            self.cells["tieBreaker"][i] = [self.evaluate(k, self.candidates[i]) for k in self.criteria["tieBreaker"]]
        self.settle("tieBreaker")
        self.ranked.sort(key=cmp_to_key(lambda a, b: compare(self.scores[b], self.scores[a]) or self.by_ties(a, b, None)))
        self.compare_all()

    def cost_criterion(self, cost):
        bands = set()
        for observations in self.by_model.values():
            for o in observations:
                for m in o["measurements"]:
                    base, mark, above = m["key"].partition("@context>")
                    if mark and base in ("price.input", "price.output") and above.isdigit():
                        bands.add(int(above))
        tokens = [cost["inputTokens"], cost["outputTokens"], cost["cachedInputTokens"] or 0, cost["cacheWriteTokens"] or 0]
        prompt = tokens[0] + tokens[2] + tokens[3]
        names = [["price.input"], ["price.output"], ["price.cache_read", "price.input"], ["price.cache_write", "price.input"]]
        terms = []
        for n, keys in zip(tokens, names):
            if n > 0:
                prices = [p for key in keys for p in [f"{key}@context>{b}" for b in sorted(bands, reverse=True) if prompt > b] + [key]]
                terms.append({"measurementKey": keys[0], "prices": prices, "aggregation": "fact", "unit": "USD/token", "factor": float(n), "transfer": [],
                              "resolve": cost.get("resolve") or [], "task": {"family": None, "suite": None, "taskId": None}, "sourceClasses": ["external", "first-party"]})
        return {"id": "usd-per-task", "measurementKey": None, "direction": "minimize", "sum": terms} if terms else None

    def settle(self, role):
        for k, criterion in enumerate(self.criteria[role]):
            if role == "preference" and criterion["weight"] == 0:
                continue
            numeric = [cells[k] for cells in self.cells[role] if cells and cells[k].numeric]
            if len({canonical([c.unit, [t.unit for t in c.terms]]) for c in numeric}) > 1:
                for c in numeric:
                    c.status, c.mixed = "incomparable", True

    def cover(self):
        preferences = self.criteria["preference"]
        self.maximum = 0.0
        for p in preferences:
            self.maximum += p["weight"]
        self.coverage = [0.0] * len(self.candidates)
        for i, cells in enumerate(self.cells["preference"]):
            if self.why[i]:
                continue
            weight = 0.0
            for p, c in zip(preferences, cells):
                weight += p["weight"] if c.numeric else 0
            whole = all(c.numeric or p["weight"] == 0 for p, c in zip(preferences, cells))
            self.coverage[i] = 1.0 if whole else weight / self.maximum
            if self.coverage[i] < self.request["minimumCoverage"]:
                self.why[i] = "evidence"

    def score(self, k):
        p = self.criteria["preference"][k]
        if p["weight"] == 0:
            return None
        cells = [cells[k] for i, cells in enumerate(self.cells["preference"]) if not self.why[i] and cells[k].numeric]
        ends = None
        if p["scale"] is not None:
            ends = (float(p["scale"]["low"]), float(p["scale"]["high"]), p["scale"]["log"])
        elif cells:
            ends = (min(c.value for c in cells), max(c.value for c in cells), False)
        for c in cells:
            c.scored, c.normalized = True, normalize(ends, c.value, p["direction"])
            c.contribution = c.normalized * p["weight"]
        return ends

    def by_ties(self, a, b, only):
        for k, criterion in enumerate(self.criteria["tieBreaker"]):
            x, y = self.cells["tieBreaker"][a][k], self.cells["tieBreaker"][b][k]
            if only and criterion["id"] != only or not x.numeric and not y.numeric:
                continue
            if not y.numeric or not x.numeric:
                return -1 if x.numeric else 1
            order = compare(x.value, y.value)
            if order:
                return -order if criterion["direction"] == "maximize" else order
        return 0

    def cost(self, i):
        for k, criterion in enumerate(self.criteria["tieBreaker"]):
            if criterion["id"] == "usd-per-task" and self.cells["tieBreaker"][i][k].numeric:
                return float(self.cells["tieBreaker"][i][k].value)
        return None

    # --- comparisons ---

    def compare_all(self):
        n = len(self.ranked)
        self.level = 1 - (1 - self.confidence) / max(1, n - 1)
        self.counted = []
        for k, p in enumerate(self.criteria["preference"]):
            e = self.ends[k]
            if p["weight"] and e and e[0] != e[1]:
                slope = p["weight"] / (e[1] - e[0])
                self.counted.append((k, -slope if p["direction"] == "minimize" else slope))
        self.parts = {i: [self.part(i, k) for k, _ in self.counted] for i in self.ranked}
        self.better, self.worse, self.compared = dict.fromkeys(self.ranked, 0), dict.fromkeys(self.ranked, 0), dict.fromkeys(self.ranked, n == 1)
        for at, a in enumerate(self.ranked):
            for b in self.ranked[at + 1:]:
                c = self.compare(a, b)
                if not c["known"]:
                    continue
                self.compared[a] = self.compared[b] = True
                if abs(c["difference"]) > c["margin"]:
                    up, down = (a, b) if c["difference"] > 0 else (b, a)
                    self.better[down] += 1
                    self.worse[up] += 1

    def ends_of(self, k, i, cell):
        """The contributions at the two ends of an interval."""
        p, e = self.criteria["preference"][k], self.ends[k]
        low, high = (normalize(e, x, p["direction"]) * p["weight"] for x in i)
        return (high, low) if p["direction"] == "minimize" else (low, high)

    def part(self, i, k):
        cell, e = self.cells["preference"][i][k], self.ends[k]
        part = {"cell": cell, "known": False, "below": 0.0, "above": 0.0, "pairs": False}
        if not cell.scored:
            return part
        part["pairs"] = e[0] <= cell.value <= e[1] and not e[2] and len(cell.tasks) >= 2
        interval = self.interval(self.criteria["preference"][k], cell, self.level)
        if interval is None:
            return part
        low, high = self.ends_of(k, interval, cell)
        part["known"] = True
        part["below"], part["above"] = (cell.contribution - low) * (cell.contribution - low), (high - cell.contribution) * (high - cell.contribution)
        return part

    def compare(self, a, b):
        known, shared = len(self.counted) > 0, 0
        differences, squares, others = [], [], []
        for (k, slope), p, q in zip(self.counted, self.parts[a], self.parts[b]):
            x, y = p["cell"], q["cell"]
            if x.scored != y.scored:
                known = False
                continue
            same = self.candidates[a]["model"]["id"] == self.candidates[b]["model"]["id"] and x.observations and x.observations == y.observations
            if not x.scored or same:
                continue
            if p["pairs"] and q["pairs"]:
                n, pair = self.pair(k, slope, x, y)
                if n >= 2:
                    shared += n
                    if pair:
                        differences.append(pair[0])
                        squares.append(pair[1])
                        others.append(pair[2])
                        continue
            known = known and p["known"] and q["known"]
            differences.append(x.contribution - y.contribution)
            squares.append(p["below"] + q["above"])
            others.append(q["below"] + p["above"])
        difference = fsum(differences)
        return {"difference": difference, "margin": sqrt(fsum(others if difference < 0 else squares)), "known": known, "shared": shared}

    def pair(self, k, slope, x, y):
        """How many tasks both have, and the difference with its squared margins on these; None: the intervals decide."""
        by_key = {t["key"]: t for t in y.tasks}
        both = [(t, by_key[t["key"]]) for t in x.tasks if t["key"][1] and t["key"] in by_key]
        n = len(both)
        if n < 2:
            return n, None
        p = self.criteria["preference"][k]
        if x.basis == y.basis == "benchmark":
            if n == len(x.tasks) == len(y.tasks):
                return n, None
            sides = []
            for side in (0, 1):
                tasks = [pair[side] for pair in both]
                value = mean([t["mean"] for t in tasks])
                low, high = self.interval_of_mean(p, self.about(p["measurementKey"]), "benchmark", value, tasks, self.level)
                down, up = (value - low) * slope, (high - value) * slope
                if slope < 0:
                    down, up = up, down
                sides.append((value * slope, down * down, up * up))
            (a, below_a, above_a), (b, below_b, above_b) = sides
            return n, (a - b, below_a + above_b, below_b + above_a)
        d = [s["mean"] - t["mean"] for s, t in both]
        variance = mean_variance(d)
        if variance == 0 and d[0] != 0:
            return n, None
        margin = student(self.level, n - 1) * sqrt(variance) * slope
        return n, (mean(d) * slope, margin * margin, margin * margin)

    # --- what it comes to ---

    def decide(self):
        r, q, scores = self.ranked, self.request, self.scores
        if not r:
            return {"choice": None, "frontier": [], "flips": [], "next": None}
        best = chosen = r[0]
        choice = q["choice"]
        by = choice["by"] if choice else None
        if choice:
            for i in r[1:]:
                if scores[i] >= scores[best] - choice["within"] and self.by_ties(i, chosen, by) < 0:
                    chosen = i
        out = {"candidateId": self.id(chosen), "best": self.id(best), "below": scores[best] - scores[chosen], "within": choice["within"] if choice else 0,
               "by": by, "isToldApart": None, "shared": None, "saves": None}
        if chosen != best:
            c = self.compare(best, chosen)
            if c["known"]:
                out["isToldApart"] = c["difference"] > c["margin"]
            out["shared"] = c["shared"] or None
            dear, cheap = self.cost(best), self.cost(chosen)
            if dear is not None and cheap is not None and dear > 0:
                out["saves"] = {"usdPerTask": dear - cheap, "share": (dear - cheap) / dear}
        return {"choice": out, "frontier": self.frontier(), "flips": self.flips(best, chosen), "next": self.next()}

    def id(self, i):
        return self.candidates[i]["id"]

    def frontier(self):
        steps, least = [], math.inf
        for score in sorted({self.scores[i] for i in self.ranked}, reverse=True):
            priced = [i for i in self.ranked if self.scores[i] == score and self.cost(i) is not None and self.cost(i) < least]
            if priced:
                cheapest = min(priced, key=self.cost)
                least = self.cost(cheapest)
                steps.append(cheapest)
        out = []
        for at, i in enumerate(steps):
            shown = None
            if at + 1 < len(steps):
                c = self.compare(i, steps[at + 1])
                if c["known"]:
                    shown = c["difference"] > c["margin"]
            out.append({"candidateId": self.id(i), "score": self.scores[i], "cost": self.cost(i), "isStepShown": shown})
        return out

    def flips(self, best, chosen):
        found, choice, scores = [], self.request["choice"], self.scores
        preferences = self.criteria["preference"]
        if choice is None:
            if len(preferences) > 1:
                for k, p in enumerate(preferences):
                    up = down = None
                    for i in self.ranked:
                        gain = self.cells["preference"][i][k].normalized - self.cells["preference"][chosen][k].normalized
                        if i == chosen or gain == 0:
                            continue
                        to = p["weight"] + (scores[chosen] - scores[i]) / gain
                        flip = ("weight", p["id"], i, p["weight"], to)
                        if gain > 0 and to > p["weight"] and (up is None or to < up[4]):
                            up = flip
                        if gain < 0 and 0 <= to < p["weight"] and (down is None or to > down[4]):
                            down = flip
                    found += [f for f in (up, down) if f]
        else:
            by, within = choice["by"], choice["within"]
            for i in self.ranked:
                if scores[best] - scores[i] > within and self.by_ties(i, chosen, by) < 0:
                    found.append(("tolerance", None, i, within, scores[best] - scores[i]))
                    break
            below = scores[best] - scores[chosen]
            if below > 0:
                other = best
                for i in self.ranked:
                    if scores[i] > scores[chosen] and self.by_ties(i, other, by) < 0:
                        other = i
                found.append(("tolerance", None, other, within, below))
            usd = self.cost(chosen)
            if usd is not None and (by == "usd-per-task" or by is None and self.criteria["tieBreaker"][0]["id"] == "usd-per-task"):
                near = None
                for i in self.ranked:
                    cost = self.cost(i)
                    if i != chosen and cost is not None and cost > usd and scores[i] >= scores[best] - within and (near is None or cost < near[3]):
                        near = ("price", "usd-per-task", i, cost, usd)
                found += [near] if near else []
        found += self.requirement_flips()
        found.sort(key=lambda f: abs(f[4] - f[3]) / max(abs(f[3]), abs(f[4])))
        return [{"kind": kind, "criterion": k, "candidateId": self.id(i), "from": a, "to": b} for kind, k, i, a, b in found[:5]]

    def requirement_flips(self):
        if not self.ranked:
            return []
        best = {}
        for i in self.excluded:
            failed = [k for k, c in enumerate(self.cells["requirement"][i]) if not c.met]
            if self.why[i] != "requirement" or len(failed) != 1:
                continue
            k = failed[0]
            criterion, cell = self.criteria["requirement"][k], self.cells["requirement"][i][k]
            counted = [p for p in self.criteria["preference"] if p["weight"] > 0]
            if not cell.numeric or criterion["operator"] == "eq" or not counted or any(p["scale"] is None for p in counted):
                continue
            cells = [self.evaluate(p, self.candidates[i]) for p in counted]
            if not all(c.numeric for c in cells):
                continue
            score = fsum(normalize((float(p["scale"]["low"]), float(p["scale"]["high"]), p["scale"]["log"]), c.value, p["direction"]) * p["weight"]
                         for p, c in zip(counted, cells))
            if score > self.scores[self.ranked[0]] and (k not in best or score > best[k][0]):
                best[k] = (score, ("requirement", criterion["id"], i, criterion["value"], cell.value))
        return [best[k][1] for k in sorted(best)]

    def next(self):
        if len(self.ranked) < 2:
            return None
        a, b = self.ranked[:2]
        difference, c = self.scores[a] - self.scores[b], self.compare(a, b)
        if not c["known"] or abs(c["difference"]) > c["margin"] or difference == 0:
            return None
        found, widest, z = None, 0.0, normal(self.level)
        for (k, slope), p, q in zip(self.counted, self.parts[a], self.parts[b]):
            x, y = p["cell"], q["cell"]
            if not x.scored or not y.scored or x.basis != y.basis or x.basis not in ("benchmark", "tasks"):
                continue
            variance = 0.0
            criterion = self.criteria["preference"][k]
            if x.basis == "benchmark":
                low, high = self.bounds(criterion, self.about(criterion["measurementKey"]), x.tasks)
                width, have = high - low, min(x.trials, y.trials)
                for cell in (x, y):
                    share = (cell.value - low) / width
                    variance += share * (1 - share) * width * width * slope * slope
            else:
                have = min(x.n, y.n)
                for cell in (x, y):
                    means = [t["mean"] for t in cell.tasks]
                    variance += mean_variance(means) * len(means) * slope * slope
            width = max(p["below"] + q["above"], q["below"] + p["above"])
            needed = math.ceil(z * z * variance / (difference * difference)) - have
            if width <= widest or needed < 1 or needed > 1e9:
                continue
            widest = width
            found = {"criterion": criterion["id"], "candidates": [self.id(a), self.id(b)], "count": int(needed), "of": "questions" if x.basis == "benchmark" else "tasks"}
        return found

    def score_interval(self, i):
        below, above = [], []
        for k, (p, c) in enumerate(zip(self.criteria["preference"], self.cells["preference"][i])):
            if p["weight"] == 0 or not c.scored:
                continue
            if not c.known:
                return None
            low, high = self.ends_of(k, (c.low, c.high), c)
            below.append((c.contribution - low) * (c.contribution - low))
            above.append((high - c.contribution) * (high - c.contribution))
        if not below:
            return None
        return {"low": max(0.0, self.scores[i] - sqrt(fsum(below))), "high": min(self.maximum, self.scores[i] + sqrt(fsum(above)))}

    # --- the result ---

    def result(self):
        self.rank()
        out = self.decide()
        n = len(self.ranked)
        out["statistics"] = {"confidence": self.confidence, "comparisonConfidence": self.level if n > 1 else None}
        names = {"benchmark": "benchmark", "published": "benchmark", "tasks": "tasks"}
        targets = {names[c.basis] for i in self.ranked for c in self.cells["preference"][i] if c.scored and c.basis in names}
        out["target"] = "none" if not targets else targets.pop() if len(targets) == 1 else "mixed"
        preferences = self.criteria["preference"]
        fixed = preferences and all(p["scale"] is not None or p["weight"] == 0 for p in preferences)
        out["scoreScale"] = {"kind": "fixed" if fixed else "request-relative", "maximum": self.maximum, "scales": [
            {"criterion": p["id"], "low": e and e[0], "high": e and e[1], "log": bool(e and e[2])} for p, e in zip(preferences, self.ends)]}
        out["ranked"] = [self.candidate(i, at + 1) for at, i in enumerate(self.ranked)]
        out["excluded"] = [self.candidate(i, None) for i in self.excluded]
        return out

    def candidate(self, i, rank):
        out = {"candidateId": self.id(i), "reasons": self.reasons(i), "evidence": []}
        for role, criteria in self.criteria.items():
            for k, c in zip(criteria, self.cells[role][i] or []):
                out["evidence"].append({"criterion": k["id"], "observationIds": c.observations, "overruled": c.overruled})
        if rank:
            usd, cost = self.cost(i), None
            if usd is not None:
                requests = self.request["cost"] and self.request["cost"]["requests"]
                lowest = next(c.lowest for k, c in zip(self.criteria["tieBreaker"], self.cells["tieBreaker"][i]) if k["id"] == "usd-per-task")
                cost = {"usdPerTask": usd, "usdTotal": None if requests is None else usd * requests, "lowest": lowest}
            out.update(rank=rank, rankInterval={"low": 1 + self.better[i], "high": len(self.ranked) - self.worse[i]},
                       amongBest=self.better[i] == 0 if self.compared[i] else None, score=self.scores[i], coverage=self.coverage[i],
                       scoreInterval=self.score_interval(i), cost=cost)
        return out

    def reasons(self, i):
        out = []

        def shown(k):
            return k.get("weight") == 0

        for role in ("requirement", "preference", "tieBreaker"):
            cells = list(zip(self.criteria[role], self.cells[role][i] or []))
            if role == "preference":
                out += [self.reason(role, k, c) for k, c in cells if not c.numeric and not (shown(k) and c.status == "ok")]
                if self.why[i] == "evidence":
                    out.append({"code": "NO_EVIDENCE", "criterion": None, "actual": self.coverage[i], "expected": self.request["minimumCoverage"],
                                "executionApplicability": applicability({})})
                cells = [(k, c) for k, c in cells if c.scored or shown(k) and c.status == "ok"]
            out += [self.reason(role, k, c) for k, c in cells]
        return out

    def reason(self, role, k, c):
        out = {"criterion": k["id"], "executionApplicability": applicability(c.applicability)}
        if role == "preference" and k["weight"] == 0 and c.status == "ok":
            code = "VALUE_SHOWN"
        elif role == "requirement" and c.status == "ok":
            code = "REQUIREMENT_MET" if c.met else "REQUIREMENT_NOT_MET"
        elif role == "preference" and c.scored:
            code = "PREFERENCE_SCORE"
        elif role == "tieBreaker" and c.numeric:
            code = "TIE_BREAKER_VALUE"
        elif c.status == "missing":
            code = {"requirement": "MISSING_EVIDENCE", "preference": "PREFERENCE_EVIDENCE_MISSING", "tieBreaker": "TIE_BREAKER_EVIDENCE_MISSING"}[role]
        else:
            code = {"stale": "STALE_EVIDENCE", "ambiguous": "AMBIGUOUS_EVIDENCE", "conflict": "CONFLICTING_EVIDENCE"}.get(c.status, "INCOMPARABLE_EVIDENCE")
        out["code"] = code
        if code in ("VALUE_SHOWN", "REQUIREMENT_MET", "REQUIREMENT_NOT_MET", "PREFERENCE_SCORE", "TIE_BREAKER_VALUE"):
            out["actual"] = c.value
            if c.numeric:
                out["estimate"] = {"value": c.value, "unit": c.unit, "low": c.low if c.known else None, "high": c.high if c.known else None, "basis": c.basis,
                                   "tasks": c.n, "trials": c.trials or None, "size": c.size, "own": c.own, "public": c.public}
        if role == "requirement" and c.status == "ok":
            out["expected"] = k["value"]
        if code == "PREFERENCE_SCORE":
            out["contribution"] = c.contribution
        return out


def applicability(a):
    names = {"asserted": "assertedDimensions", "matched": "matchedKinds", "mismatched": "mismatchedDimensions",
             "transferred": "transferredDimensions", "wildcarded": "wildcardedDimensions"}
    return {long: sorted(a.get(short, ())) for short, long in names.items()}


def meets(k, c):
    if k["operator"] == "eq":
        return canonical(c.value) == canonical(k["value"])
    if not c.numeric:
        return False
    return c.value >= k["value"] if k["operator"] == "gte" else c.value <= k["value"]


def compare(a, b):
    return (a > b) - (a < b)


def logarithm(x):
    whole, bit = 0.0, 1.0
    while x >= 2:
        x /= 2
        whole += 1
    for _ in range(52):
        bit /= 2
        x *= x
        if x >= 2:
            x /= 2
            whole += bit
    return whole


def normalize(ends, v, direction):
    low, high, log = ends
    if low == high:
        return 1.0
    if log:
        v, low, high = logarithm(max(v, low) / low), 0.0, logarithm(high / low)
    n = (high - v) / (high - low) if direction == "minimize" else (v - low) / (high - low)
    return min(max(n, 0.0), 1.0)


if __name__ == "__main__":
    for line in sys.stdin:
        print(canonical(Ranking(json.loads(line)).result()), flush=True)
