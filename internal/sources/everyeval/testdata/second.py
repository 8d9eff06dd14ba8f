"""Reads records of Every Eval Ever: a tar, or records with their instances beside them."""
import hashlib
import io
import json
import os
import re
import statistics
import sys
import tarfile

Q = 1.959963984540054
ORIGINS = {"aider", "aider-polyglot", "arena", "chatbot-arena", "livebench", "lmarena", "swe-bench", "swebench"}


def slug(name):
    return "-".join(x for x in re.split(r"[^a-z0-9._]+", name.strip().lower()) if x)


def known(text):
    return isinstance(text, str) and text.strip() and text.strip().lower() != "unknown"


def condition(model, result):
    parts = {}

    def put(name, value):
        if isinstance(value, bool):
            parts[name] = str(value).lower()
        elif isinstance(value, (str, int, float)) and value != "":
            text = value if isinstance(value, str) else (f"{value:.0f}" if float(value).is_integer() else repr(value))
            if len(text.encode()) > 40 or re.search(r"[,= \t\r\n]", text):
                text = "sha256:" + hashlib.sha256(text.encode()).hexdigest()[:12]
            parts[name] = text

    for name in ("precision", "quantization"):
        put(name, (model.get("additional_details") or {}).get(name))
    generation = result.get("generation_config") or {}
    args = generation.get("generation_args", generation)
    for name, value in args.items():
        if name != "additional_details":
            put("gen." + name, value)
    for name, value in (args.get("eval_limits") or {}).items():
        put(name, value)
    return ",".join(sorted(f"{k}={v}" for k, v in parts.items()))


def load(names):
    records, instances = [], {}
    for name in names:
        files = [(name, open(name, "rb").read())]
        if name.endswith(".tar"):
            with tarfile.open(fileobj=io.BytesIO(files[0][1])) as tar:
                files = [(m.name, tar.extractfile(m).read()) for m in tar if m.isfile() and "/data/" in m.name]
        for path, text in files:
            if path.endswith("_samples.jsonl"):
                instances[os.path.basename(path)] = [json.loads(x) for x in text.splitlines() if x.strip()]
            elif path.endswith(".json"):
                records.append(json.loads(text))
    return records, instances


records, instances = load(sys.argv[1:])
found = {}
for order, rec in enumerate(records):
    collection = slug(rec["evaluation_id"].split("/")[0])
    if not re.fullmatch(r"0\.1\.0|0\.2\..*|0\.3\.0", rec["schema_version"]) or collection in ORIGINS:
        continue
    retrieved = int(float(rec["retrieved_timestamp"]) * 1000)
    names = [slug(r["evaluation_name"]) for r in rec["evaluation_results"]]
    seen = {}
    for i, result in enumerate(rec["evaluation_results"]):
        metric = result["metric_config"]
        key = f"eee.{collection}.{names[i]}"
        if names.count(names[i]) > 1 and known(metric.get("metric_id")):
            key += "." + slug(metric["metric_id"])
        where = condition(rec["model_info"], result)
        seen[key, where] = seen.get((key, where), 0) + 1
        if seen[key, where] > 1:
            where = ",".join(sorted(where.split(",") * bool(where) + [f"result={seen[key, where]}"]))
        at = (rec["model_info"]["id"].lower(), key, where)
        if at not in found or retrieved > found[at][0]:
            found[at] = (retrieved, rec, i)

for (_, key, where), (_, rec, i) in found.items():
    result = rec["evaluation_results"][i]
    metric, details = result["metric_config"], result["score_details"]
    score, unit = details["score"], metric.get("metric_unit") or ""
    if score == -1 and metric.get("has_unknown_level"):
        continue
    if any(isinstance(metric.get(m), (int, float)) and (score - metric[m]) * sign < 0 for m, sign in (("min_score", 1), ("max_score", -1))):
        continue
    out = {"": (score, unit)}
    mine = [x["evaluation"]["score"] for x in instances.get(os.path.basename((rec.get("detailed_evaluation_results") or {}).get("file_path", "")), [])
            if x.get("evaluation_result_id", x["evaluation_name"]) in (result.get("evaluation_result_id"), result["evaluation_name"])]
    stated = details.get("uncertainty") or {}
    if mine:
        out = {"": (statistics.mean(mine), unit), ".samples": (len(mine), "samples")}
        if len(mine) > 1:
            out[".stderr"] = (statistics.stdev(mine) / len(mine) ** 0.5, unit)
    else:
        interval, error = stated.get("confidence_interval"), (stated.get("standard_error") or {}).get("value")
        if interval and interval["lower"] <= score <= interval["upper"] and interval["lower"] < interval["upper"]:
            out[".low"], out[".high"] = (interval["lower"], unit), (interval["upper"], unit)
            if error is None and interval.get("confidence_level") == 0.95:
                error = (interval["upper"] - interval["lower"]) / (2 * Q)
        if error:
            out[".stderr"] = (error, unit)
        if stated.get("num_samples"):
            out[".samples"] = (stated["num_samples"], "samples")
    for end, (value, of) in out.items():
        print(f"every-eval-ever:{rec['model_info']['id']}#{rec['evaluation_id']}/{i}", where, key + end, of, repr(value), sep="\t")
