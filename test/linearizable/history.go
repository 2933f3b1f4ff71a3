package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sort"
)

// The form of a history: JSON Lines, one operation a line, in any order. test/support/
// client-history.ts writes it and describes each field. Times are milliseconds of one monotonic
// clock; here they are whole nanoseconds. An operation without a return has an unknown outcome.

// Codes of refusals that rest on the state of the account. Every other refusal means that nothing
// happened, and says nothing about the account.
const (
	duplicateOrder         = "DUPLICATE_ORDER"
	duplicateClientOrderID = "DUPLICATE_CLIENT_ORDER_ID"
	insufficientCollateral = "INSUFFICIENT_COLLATERAL"
	// The leading node may have done what it did not answer.
	leaderSilent = "LEADER_SILENT"
)

const (
	lineBytesMax = 1 << 20
	nsPerMs      = 1e6
	priceOne     = 1000
)

type request struct {
	Kind          string   `json:"kind"`
	Account       string   `json:"account"`
	ClientOrderID string   `json:"clientOrderId"`
	Market        string   `json:"market"`
	Side          string   `json:"side"`
	Ticks         int64    `json:"ticks"`
	SizeRaw       int64    `json:"sizeRaw"`
	Replay        bool     `json:"replay"`
	AmountRaw     int64    `json:"amountRaw"`
	CancelAfterMs *float64 `json:"cancelAfterMs"`
	MinSeq        int64    `json:"minSeq"`
}

type reply struct {
	Kind        string           `json:"kind"`
	Code        string           `json:"code"`
	OrderID     string           `json:"orderId"`
	Status      string           `json:"status"`
	FreeRaw     int64            `json:"freeRaw"`
	ReservedRaw int64            `json:"reservedRaw"`
	SharesRaw   map[string]int64 `json:"sharesRaw"`
	Seq         int64            `json:"seq"` // X-Seq; 0 when it is not known
}

type operation struct {
	line     int
	client   int
	callNs   int64
	returnNs int64 // math.MaxInt64 when the outcome is unknown
	request  request
	reply    *reply // nil when the outcome is unknown
	// The earliest instant whose state a read may return. It must show changes that its client or
	// its minSeq knows, and these did not happen before they were called.
	floorNs int64
}

func (o *operation) isLost() bool { return o.reply == nil }

func (o *operation) isRead() bool {
	return o.request.Kind == "balance" || o.request.Kind == "order"
}

// Whether the reply says that nothing happened, for a reason outside of the account.
func (o *operation) isVoid() bool {
	if o.isLost() || o.reply.Kind != "refused" {
		return false
	}
	switch o.reply.Code {
	case duplicateOrder, duplicateClientOrderID:
		return o.request.Kind != "place"
	case insufficientCollateral:
		return o.request.Kind != "place" && o.request.Kind != "split"
	}
	return true
}

// Whether it surely changed the account, so that its reply has a seq that is not older.
func (o *operation) hasChanged() bool {
	if o.isLost() {
		return false
	}
	switch o.reply.Kind {
	case "accepted":
		return !o.request.Replay
	case "ok":
		return o.request.Kind != "heartbeat"
	}
	return o.reply.Kind == "canceled"
}

// The collateral that the order reserves, rounded down as by the exchange.
func (o *operation) costRaw() int64 {
	r := o.request
	return r.Ticks*(r.SizeRaw/priceOne) + r.Ticks*(r.SizeRaw%priceOne)/priceOne
}

type line struct {
	Client *int            `json:"client"`
	Call   *float64        `json:"call"`
	Return *float64        `json:"return"`
	Op     json.RawMessage `json:"op"`
	Reply  json.RawMessage `json:"reply"`
}

// Reads a history, sorted by call. The error names the line that is not in the form.
func readHistory(path string) ([]*operation, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return parseHistory(file)
}

func parseHistory(input io.Reader) ([]*operation, error) {
	var operations []*operation
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, lineBytesMax)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		operation, err := parseLine(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		operation.line = number
		operations = append(operations, operation)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	sort.SliceStable(operations, func(i, j int) bool {
		return operations[i].callNs < operations[j].callNs
	})
	return operations, setFloors(operations)
}

func strict(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func parseLine(text []byte) (*operation, error) {
	var parsed line
	if err := strict(text, &parsed); err != nil {
		return nil, err
	}
	if parsed.Client == nil || parsed.Call == nil || parsed.Op == nil {
		return nil, errors.New("client, call and op are required")
	}
	made := &operation{
		client:   *parsed.Client,
		callNs:   int64(math.Round(*parsed.Call * nsPerMs)),
		returnNs: math.MaxInt64,
		floorNs:  math.MinInt64,
	}
	if err := strict(parsed.Op, &made.request); err != nil {
		return nil, err
	}
	hasReply := parsed.Reply != nil && string(parsed.Reply) != "null"
	if hasReply != (parsed.Return != nil) {
		return nil, errors.New("return and reply are both null or both there")
	}
	if hasReply {
		made.returnNs = int64(math.Round(*parsed.Return * nsPerMs))
		if err := strict(parsed.Reply, &made.reply); err != nil {
			return nil, err
		}
	}
	return made, made.check()
}

// The replies of each kind of operation, next to the refusal that each may have.
var repliesOf = map[string][]string{
	"place":     {"accepted"},
	"cancel":    {"canceled", "not_open", "not_found"},
	"heartbeat": {"ok"},
	"split":     {"ok"},
	"deposit":   {"ok"},
	"balance":   {"balance"},
	"order":     {"order"},
}

func (o *operation) check() error {
	r := o.request
	kinds, isKnown := repliesOf[r.Kind]
	switch {
	case !isKnown:
		return fmt.Errorf("unknown operation %q", r.Kind)
	case r.Account == "":
		return errors.New("an operation names its account")
	case r.ClientOrderID == "" && (r.Kind == "place" || r.Kind == "cancel" || r.Kind == "order"):
		return errors.New("the operation names an order by clientOrderId")
	case r.Market == "" && (r.Kind == "place" || r.Kind == "split"):
		return errors.New("the operation names a market")
	case r.Kind == "place" && (r.Side != "buy" || r.Ticks < 1 || r.Ticks >= priceOne || r.SizeRaw < 1):
		return errors.New("a place is a buy at 1 to 999 ticks of a positive size")
	case (r.Kind == "split" || r.Kind == "deposit") && r.AmountRaw < 1:
		return errors.New("the amount is positive")
	case o.isLost():
		return nil
	case o.returnNs < o.callNs:
		return errors.New("the return is before the call")
	}
	return o.checkReply(kinds)
}

func (o *operation) checkReply(kinds []string) error {
	if o.reply.Kind == "refused" {
		if o.reply.Code == "" || o.reply.Code == leaderSilent {
			return errors.New("a refusal has a code, and LEADER_SILENT is an unknown outcome")
		}
		return nil
	}
	for _, kind := range kinds {
		if kind != o.reply.Kind {
			continue
		}
		if kind == "accepted" && o.reply.OrderID == "" {
			return errors.New("an accepted order has an orderId")
		}
		status := o.reply.Status
		if kind == "order" && status != "LIVE" && status != "CANCELED" && status != "absent" {
			return fmt.Errorf("an order is not %q", status)
		}
		return nil
	}
	return fmt.Errorf("%q is no reply to %s", o.reply.Kind, o.request.Kind)
}

// Sets the floors of the reads. The operations are sorted by call.
func setFloors(operations []*operation) error {
	last := map[int]*operation{} // the last operation with a return, by client
	changed := map[int]int64{}   // the call of the last answered change, by client
	seqs := newestBySeq(operations)
	for _, each := range operations {
		if before := last[each.client]; before != nil && before.returnNs > each.callNs {
			const words = "line %d: client %d is still in the operation of line %d"
			return fmt.Errorf(words, each.line, each.client, before.line)
		}
		if each.isLost() {
			continue
		}
		last[each.client] = each
		if each.isVoid() {
			continue
		}
		if !each.isRead() {
			changed[each.client] = each.callNs
			continue
		}
		each.floorNs = seqs.callAt(each.request.MinSeq)
		if callNs, hasChanged := changed[each.client]; hasChanged {
			each.floorNs = max(each.floorNs, callNs)
		}
	}
	return nil
}

// Calls of changes by the seq of their reply: ascending in both columns.
type seqCalls struct {
	seqs    []int64
	callsNs []int64
}

func newestBySeq(operations []*operation) seqCalls {
	var made seqCalls
	var changes []*operation
	for _, each := range operations {
		if each.hasChanged() && each.reply.Seq > 0 {
			changes = append(changes, each)
		}
	}
	sort.SliceStable(changes, func(i, j int) bool {
		return changes[i].reply.Seq < changes[j].reply.Seq
	})
	newestNs := int64(math.MinInt64)
	for _, each := range changes {
		newestNs = max(newestNs, each.callNs)
		made.seqs = append(made.seqs, each.reply.Seq)
		made.callsNs = append(made.callsNs, newestNs)
	}
	return made
}

// The newest call of a change that is done at this seq.
func (s seqCalls) callAt(seq int64) int64 {
	count := sort.Search(len(s.seqs), func(i int) bool { return s.seqs[i] > seq })
	if count == 0 {
		return math.MinInt64
	}
	return s.callsNs[count-1]
}
