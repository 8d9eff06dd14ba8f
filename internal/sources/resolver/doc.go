// Package resolver reads which model a name is.
//
// Sellers write the name of one model in many ways: kimi-k2.6, moonshotai/Kimi-K2.6,
// accounts/fireworks/models/kimi-k2p6, @cf/moonshotai/kimi-k2.6. The resolver takes such a
// name apart and gives the model one id, moonshotai/kimi-k2.6, whoever sells it, with the
// revision and the quantization that the name tells. What the seller does otherwise than
// usual (free, batch, thinking) is a service of the offer and no part of the model, and so
// is a region.
//
//	us.anthropic.claude-haiku-4-5-20251001-v1:0
//	  region us, maker anthropic, model claude-haiku-4.5, revision 20251001
//	TEE/gemma4-31b:thinking
//	  services tee and thinking, model google/gemma-4-31b-it
//	~anthropic/claude-sonnet-latest
//	  an alias, whose target moves: no model
//
// The rules are [Version]. They are pure: one name has one answer, whatever else is
// imported, so that rows of different lists and labels of leaderboards meet. What rules
// must not guess stands in tables that people review, each line with its reason:
// makers.json, aliases.json.
package resolver
