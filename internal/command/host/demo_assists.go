package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// answered returns an answer with a message and a result.
func answered(message string, result any) (sdk.IntercomAnswer, error) {
	text, err := json.Marshal(result)
	if err != nil {
		return sdk.IntercomAnswer{}, fmt.Errorf("the result cannot be encoded as JSON: %w", err)
	}
	return sdk.IntercomAnswer{Message: message, Result: text}, nil
}

// drawn returns a number below n that depends only on the text, so that the same question
// gets the same answer. It is FNV-1a
// (https://datatracker.ietf.org/doc/html/draft-eastlake-fnv).
func drawn(text string, n int) int {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(strings.ToLower(text))) // a hash never fails to write
	return int(sum.Sum32() % uint32(n))
}

// findBook returns Ada's tool, in which every title has a shelf.
func findBook() assist {
	tool := sdk.Tool{Name: "assist_find_book", Description: "Finds a book", Parameters: []sdk.Parameter{
		{Name: "title", Type: sdk.TypeString, Description: "What it is called"},
	}}
	return assist{tool, func(call *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
		var args struct {
			Title string `json:"title"`
		}
		if err := call.DecodeArgs(&args); err != nil {
			return sdk.IntercomAnswer{}, err
		}
		title := protocol.TrimSpace(args.Title)
		if title == "" {
			return sdk.IntercomAnswer{}, errors.New("a book without a title is hard to find: what is it called?")
		}
		const rows, places = 12, 40
		row, place := string(rune('A'+drawn(title, rows))), 1+drawn(title+"/place", places)
		return answered(fmt.Sprintf("%q stands in row %s, place %d.", title, row, place), map[string]any{
			"title": title, "row": row, "place": place,
		})
	}}
}

// explainError returns Grace's tool, which knows the most common reasons.
func explainError() assist {
	tool := sdk.Tool{Name: "assist_explain_error", Description: "Explains an error message", Parameters: []sdk.Parameter{
		{Name: "message", Type: sdk.TypeString, Description: "The error message, word for word"},
	}}
	reasons := []struct{ sign, cause, remedy string }{
		{"undefined", "a name is used that nothing declares", "look for a rename that was not carried through"},
		{"refused", "nothing listens at that address", "start the server, or correct the port"},
		{"permission", "the program may not touch that file", "look at the file's owner and mode"},
		{"no space", "the disk is full", "remove what is old, then write again"},
		{"timeout", "the other side took too long", "see whether it is up, and busy with what"},
		{"nil pointer", "a value is used before it was set", "read the first line of the trace that is yours"},
	}
	return assist{tool, func(call *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
		var args struct {
			Message string `json:"message"`
		}
		if err := call.DecodeArgs(&args); err != nil {
			return sdk.IntercomAnswer{}, err
		}
		for _, r := range reasons {
			if strings.Contains(strings.ToLower(args.Message), r.sign) {
				return answered("It means that "+r.cause+". I would "+r.remedy+".", map[string]any{
					"message": args.Message, "known": true, "cause": r.cause, "remedy": r.remedy,
				})
			}
		}
		return answered("I have not seen that one. Send me the lines before it.", map[string]any{"message": args.Message, "known": false})
	}}
}

// trip has the arguments of assist_plan_trip.
type trip struct {
	To     string  `json:"to"`
	By     string  `json:"by"`
	People int     `json:"people"`
	Budget float64 `json:"budget"`
	Return bool    `json:"return"`
}

// means are the ways to travel, with speed and price.
var means = map[string]struct{ kmPerHour, costPerKM float64 }{
	"foot": {5, 0}, "boat": {18, 0.4}, "train": {80, 0.2},
}

// planTrip returns Tove's tool, with a parameter of every simple type.
func planTrip() assist {
	tool := sdk.Tool{Name: "assist_plan_trip", Description: "Plans a trip", Parameters: []sdk.Parameter{
		{Name: "to", Type: sdk.TypeString, Description: "Where to"},
		{Name: "by", Type: sdk.TypeString, Enum: []string{"foot", "boat", "train"}, Description: "How; on foot if left out", Optional: true},
		{Name: "people", Type: sdk.TypeInteger, Description: "How many go; one if left out", Optional: true},
		{Name: "budget", Type: sdk.TypeNumber, Description: "What it may cost in all", Optional: true},
		{Name: "return", Type: sdk.TypeBoolean, Description: "There and back", Optional: true},
	}}
	return assist{tool, func(call *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
		t := trip{By: "foot", People: 1, Budget: math.Inf(1)}
		if err := call.DecodeArgs(&t); err != nil {
			return sdk.IntercomAnswer{}, err
		}
		return t.plan()
	}}
}

// plan calculates a trip: every place has a fixed distance.
func (t *trip) plan() (sdk.IntercomAnswer, error) {
	to := protocol.TrimSpace(t.To)
	way, known := means[t.By]
	const mostPeople = 100
	switch {
	case to == "":
		return sdk.IntercomAnswer{}, errors.New("where do you want to go?")
	case !known:
		return sdk.IntercomAnswer{}, fmt.Errorf("trips go by foot, boat or train, not by %q", t.By)
	case t.People < 1 || t.People > mostPeople:
		return sdk.IntercomAnswer{}, fmt.Errorf("a trip is for 1 to %d people, not for %d", mostPeople, t.People)
	}
	const farthest = 30
	km := float64(1 + drawn(to, farthest))
	if t.Return {
		km *= 2
	}
	minutes := math.Ceil(km / way.kmPerHour * 60)
	cost := math.Round(km*way.costPerKM*float64(t.People)*100) / 100
	message := fmt.Sprintf("%s by %s: %.0f km, %.0f minutes.", to, t.By, km, minutes)
	if cost > t.Budget {
		message += fmt.Sprintf(" It costs %.2f, which is more than you have: go on foot.", cost)
	}
	return answered(message, map[string]any{
		"to": to, "by": t.By, "people": t.People, "return": t.Return,
		"km": km, "minutes": minutes, "cost": cost, "withinBudget": cost <= t.Budget,
	})
}
