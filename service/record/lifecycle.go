package record

// The keys of facts that say where in its life an offer is.
const (
	LifecycleStatus     = "lifecycle.status"     // text, as printed, or one of the following
	LifecycleDeprecated = "lifecycle.deprecated" // text: YYYY-MM-DD, or YYYY-MM for the last day of the month
	LifecycleRetires    = "lifecycle.retires"    // the same
)

// Values of lifecycle.status after which nobody should begin to use an offer.
const (
	StatusDeprecated = "deprecated"
	StatusWithdrawn  = "withdrawn" // the complete list of the seller has it no more
)
