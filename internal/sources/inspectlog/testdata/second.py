"""Reads .json logs of Inspect, or .eval ones that are deflated."""
import json
import re
import sys
import zipfile

WORDS = {"C": 1, "P": 0.5, "I": 0, "N": 0, "yes": 1, "true": 1, "no": 0, "false": 0}


def load(name):
    if not zipfile.is_zipfile(name):
        return json.load(open(name, encoding="utf-8"))
    with zipfile.ZipFile(name) as z:
        log = json.loads(z.read("header.json"))
        names = z.namelist()
        if "summaries.json" in names:
            log["samples"] = json.loads(z.read("summaries.json"))
        else:
            log["samples"] = [json.loads(z.read(n)) for n in names if n.startswith("samples/")]
        return log


def number(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        if value in WORDS:
            return WORDS[value]
        try:
            return float(value)
        except ValueError:
            return None
    return value if isinstance(value, (int, float)) else None


def condition(log):
    ev, parts = log["eval"], {}
    if ev.get("solver"):
        parts["solver"] = ev["solver"]
    for key, value in ev.get("model_generate_config", {}).items():
        if value is not None and not isinstance(value, (dict, list)):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            assert re.fullmatch(r"[\w.\-]{1,40}", text), "the other reader knows words alone"
            parts["effort" if key == "reasoning_effort" else "gen." + key] = text
    ran = log["results"]["total_samples"] / ev["config"].get("epochs", 1)
    if ran < ev["dataset"]["samples"]:
        parts["limit"] = f"{ran:g}"
    for key in ("message_limit", "token_limit", "time_limit", "working_limit"):
        if ev["config"].get(key) is not None:
            parts[key] = str(ev["config"][key])
    return ",".join(sorted(f"{k}={v}" for k, v in parts.items()))


for name in sys.argv[1:]:
    log = load(name)
    ev, results, prefix = log["eval"], log["results"], "inspect." + log["eval"]["task"]
    evidence, where = f"inspect:{ev['model']}#{ev['eval_id']}", condition(log)
    out = [("total_samples", "samples", results["total_samples"]), ("completed_samples", "samples", results["completed_samples"])]
    for score in results["scores"]:
        for metric, m in score["metrics"].items():
            key = ("accuracy" if "accuracy" in score["metrics"] else "mean") + ".stderr" if metric == "stderr" else metric
            out.append((f"{score['name']}.{key}", "", m["value"]))
        if score.get("scored_samples") is not None:
            out.append((f"{score['name']}.samples", "samples", score["scored_samples"]))
    cost = log["stats"]["model_usage"].get(ev["model"], {}).get("total_cost")
    if cost is not None:
        out.append(("cost", "USD", cost))
    for key, unit, value in out:
        print(evidence, where, f"{prefix}.{key}", unit, repr(value), sep="\t")
    for sample in log.get("samples", []):
        for scorer, score in (sample.get("scores") or {}).items():
            value = number(score["value"])
            if value is not None:
                print(f"{evidence}/{sample['id']}/{sample['epoch']}", where, f"{prefix}.{scorer}", "", repr(value), sep="\t")
