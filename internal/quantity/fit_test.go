package quantity_test

import (
	"math"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/quantity"
)

// What an amount means in the unit of a key is said with the digits that somebody wrote.
func TestFit(t *testing.T) {
	tokens := quantity.Values{Key: "k", Unit: "tokens", Low: 1, High: 9}
	prices := quantity.Values{Key: "k", Unit: "USD/token", High: 1e-5}
	percents := quantity.Values{Key: "k", Unit: "percent", Low: 20, High: 80}
	fractions := quantity.Values{Key: "k", Unit: "percent", High: 0.8, HasFractions: true}
	plain := quantity.Values{Key: "k", Low: 2, High: 5}
	shares := quantity.Values{Key: "k", Low: 2, High: 5, AreShares: true}
	parts := quantity.Values{Key: "k", High: 1}
	gains := quantity.Values{Key: "k", Unit: "USD/task", Low: -1, High: 5}
	for _, test := range []struct {
		values quantity.Values
		text   string
		want   float64
		reason string
	}{
		{tokens, "200k", 200000, ""}, {tokens, "5 tokens", 5, ""}, {tokens, "5 ms", 0, "k is in tokens, not in ms: write a number alone, or one in tokens"},
		{tokens, "-5", 0, "k is in tokens, and cannot be below 0"}, {tokens, "−1e-9", 0, "below 0"},
		{tokens, "2.5/M", 0, "write 2.5M for 2.5 million"}, {tokens, "5 USD/token", 0, "k is in tokens, not in USD/token"},
		{prices, "5/M", 5e-6, ""}, {prices, "$0.001", 0.001, ""}, {prices, "0.0011", 0, "write 0.0011/M for 0.0011 dollars"}, {prices, "$5M", 0, "write 5/M for 5 dollars"},
		{prices, "1,234,567.891", 0, "write 1234567.891/M"}, {prices, "1.5E3", 0, "write 1500/M"}, {prices, "1e300", 0, "write 1e+300/M"}, {prices, "-1/M", 0, "below 0"}, {prices, "5%", 0, "write 5/M for"},
		{percents, "0.123456", 0, "k is in percent, from 20 to 80: write 12.3456% or 0.123456%"}, {percents, "0.9%", 0.9, ""}, {percents, "1", 1, ""}, {percents, "-5", -5, ""}, {fractions, "0.9", 0.9, ""},
		{plain, "5%", 0, "have no unit: write the number alone, without %"}, {plain, "5 s", 0, "without s"}, {parts, "88.2%", 0.882, ""}, {shares, "75%", 0.75, ""}, {gains, "-0.5", -0.5, ""}, {gains, "$-0.5", -0.5, ""},
	} {
		a, err := quantity.Read(test.text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := test.values.Fit(a)
		if got != test.want || test.reason == "" && err != nil || test.reason != "" && (err == nil || !strings.Contains(err.Error(), test.reason)) {
			t.Errorf("%s of %+v: %v, error %v", test.text, test.values, got, err)
		}
	}
	if _, err := prices.Fit(quantity.Amount{Number: math.Pi}); err == nil || !strings.Contains(err.Error(), "3.141592653589793/M") {
		t.Error(err)
	}
}
