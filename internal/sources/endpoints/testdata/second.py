"""Reads a daily table of OpenRouter's endpoints: time and file."""
import csv
import json
import sys
from fractions import Fraction

at, name = sys.argv[1:]
QUANTILES = ("p50", "p75", "p90", "p95", "p99")
PRICES = {
    "prompt": "input", "completion": "output", "internal_reasoning": "reasoning", "input_cache_read": "cache_read",
    "input_cache_write": "cache_write", "input_cache_write_1h": "cache_write@ttl=1h",
}
LIMITS = {"context_length": "limits.context", "max_prompt_tokens": "limits.input", "max_completion_tokens": "limits.output"}
FLAGS = {
    "supports_tool_parameters": ("capability", "capability.tools"), "supports_reasoning": ("capability", "capability.reasoning"),
    "data_policy_training": ("policy", "policy.training"), "data_policy_retains_prompts": ("policy", "policy.retention"),
}


def prices(pricing):
    """Yields keys and literals of all prices, those of long prompts too."""
    for item in [pricing] + pricing.get("overrides", []):
        above = item.get("min_prompt_tokens")
        for member, key in PRICES.items():
            if member in item:
                key, _, ttl = key.partition("@")
                band = ",".join(x for x in (f"context>{above}" if above else "", ttl) if x)
                yield f"price.{key}" + (f"@{band}" if band else ""), item[member]


def facts(row):
    """Yields declaration, key, unit and value."""
    yield "offer", "offer.id", "", row["model_slug"] + ("" if row["variant"] == "standard" else ":" + row["variant"])
    if row["model_slug"].endswith("-latest"):  # an alias, of which nothing else is taken
        return
    if row["provider_region"]:
        yield "offer", "offer.region", "", row["provider_region"]
    if row["quantization"] not in ("", "unknown"):
        yield "offer", "offer.quantization", "", row["quantization"]
    for column, key in LIMITS.items():
        if row[column]:
            yield key, key, "tokens", row[column]
    for column, (declaration, key) in FLAGS.items():
        yield declaration, key, "", row[column].lower()
    for column, key, unit in (("limit_rpm", "rate.requests_per_minute", "requests/minute"), ("limit_rpd", "rate.requests_per_day", "requests/day")):
        if row[column]:
            yield "rate", key, unit, row[column]
    for key, literal in prices(json.loads(row["pricing_json"])):
        if Fraction(literal) or key.split("@")[0] in ("price.input", "price.output"):
            yield key, key, "USD/token", float(Fraction(literal))
    for q in QUANTILES:
        if row[q + "_latency"]:
            yield "speed", "speed.ttft." + q, "s", float(Fraction(row[q + "_latency"]) / 1000)
        if row[q + "_throughput"]:
            yield "speed", "speed.throughput." + q, "tokens/s", row[q + "_throughput"]
    for column, key, unit in (("request_count", "speed.requests", "requests"), ("stats_window_minutes", "speed.window", "minutes")):
        if row[column]:
            yield "speed", key, unit, row[column]
    if row["success_count"] and row["derankable_error_count"]:
        good, bad = int(row["success_count"]), int(row["derankable_error_count"])
        if good + bad:
            yield "uptime", "uptime", "percent", 100 * good / (good + bad)
            yield "uptime", "uptime.requests", "requests", good + bad


seen = set()
for row in csv.DictReader(open(name, encoding="utf-8")):
    if row["model_slug"].startswith("~") or row["context_length"] == "0":
        continue
    model = row["model_slug"] + ("" if row["variant"] == "standard" else ":" + row["variant"])
    place = row["provider_slug"] + (":" + row["provider_region"] if row["provider_region"] else "")
    if (model, place) in seen:
        continue
    seen.add((model, place))
    for declaration, key, unit, value in facts(row):
        print(f"openrouter-endpoints:{model}@{place}#{declaration}@{at}", "", key, unit, value, sep="\t")
