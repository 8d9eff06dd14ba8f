// Package results writes what was found of a lock in the formats that other programs read.
//
//   - SARIF 2.1.0, of OASIS: code scanning of GitHub, and editors ([Sarif]).
//   - JUnit's XML: every server of continuous integration ([JUnit]).
//
// Both are for reading only, so that nothing here is read back.
package results

import (
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// Line returns the line of a lock's text, from 1, that a finding is about.
func Line(f *record.Finding, l *lock.Lock, text string) int {
	return problem.Start("").After(text[:l.Offset(string(f.Use), string(f.Key))]).Line
}

// Sentence says what was found, and of what.
func Sentence(f *record.Finding) string {
	if f.Use == "" {
		return f.Message
	}
	return strings.TrimSpace(string(f.Use)+" "+string(f.Key)) + ": " + f.Message
}

// What is written of SARIF.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		HelpURI          string    `json:"helpUri"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPlace `json:"physicalLocation"`
	}
	sarifPlace struct {
		ArtifactLocation struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	}
)

const (
	site      = "https://github.com/model-catalog-service/svc"
	codesPage = site + "/blob/main/docs/locking.md#checking"
)

// Sarif returns a report as a log of SARIF. Each finding has the line of the lock that it is
// about, in the file with a URI; a lock without one is in no file.
func Sarif(r *record.ModelsCheck, l *lock.Lock, text, uri, version string) ([]byte, error) {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "svc", Version: version, InformationURI: site}
	codes := lock.Codes()
	for _, code := range codes {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: string(code),
			ShortDescription: sarifText{lock.Describe(code)}, HelpURI: codesPage})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		result := sarifResult{
			RuleID: string(f.Code), RuleIndex: slices.Index(codes, f.Code), Level: "error", Message: sarifText{Sentence(f)},
			// A finding is the same from day to day, whatever the new price is.
			Fingerprints: map[string]string{"finding/v1": canonical.SumText(string(f.Code) + "\n" + string(f.Use) + "\n" +
				string(f.Key))},
		}
		if f.Level == lock.Warn {
			result.Level = "warning"
		}
		if uri != "" {
			var place sarifPlace
			place.ArtifactLocation.URI = uri
			place.Region.StartLine = Line(f, l, text)
			result.Locations = []sarifLocation{{place}}
		}
		run.Results = append(run.Results, result)
	}
	log, err := json.MarshalIndent(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}, "",
		"  ")
	return append(log, '\n'), err
}

// What is written of JUnit's XML.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"`
		Timestamp string      `xml:"timestamp,attr"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit returns a report as JUnit's XML: a suite for each use, in it a case for each finding, of
// which a warning passes and says so, or one case if nothing was found.
func JUnit(r *record.ModelsCheck) ([]byte, error) {
	at, _, _ := strings.Cut(string(r.Now), ".") // without milliseconds and zone, as its schema wants it
	all := junitSuites{}
	uses := append([]record.CheckedUse{{}}, r.Uses...) // the first is the catalog, which no use names
	for _, use := range uses {
		suite := junitSuite{Name: use.ID, Time: "0", Timestamp: at}
		if use.ID == "" {
			suite.Name = "catalog"
		}
		for i := range r.Findings {
			if f := &r.Findings[i]; string(f.Use) == use.ID {
				suite.add(f)
			}
		}
		if len(suite.Cases) == 0 && use.ID != "" {
			suite.Cases = []junitCase{{Class: suite.Name, Name: quantity.Count(use.Checked, "fact") + " as locked", Time: "0"}}
		}
		if suite.Tests = len(suite.Cases); suite.Tests > 0 {
			all.Suites = append(all.Suites, suite)
		}
		all.Tests, all.Failures = all.Tests+suite.Tests, all.Failures+suite.Failures
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	return slices.Concat([]byte(xml.Header), text, []byte("\n")), err
}

func (s *junitSuite) add(f *record.Finding) {
	c := junitCase{Class: s.Name, Name: strings.TrimSpace(string(f.Code) + " " + string(f.Key)), Time: "0"}
	if f.Level == lock.Warn {
		c.Out = "warning: " + f.Message
	} else {
		c.Failure = &junitFailure{Message: f.Message, Type: string(f.Code), Text: Sentence(f)}
		s.Failures++
	}
	s.Cases = append(s.Cases, c)
}
