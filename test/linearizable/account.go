package main

import (
	"math"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/anishathalye/porcupine"
)

// Divides a history by account, and makes of each account the events that Porcupine orders and
// the operations of each client, with what must come before each of them.

// Clocks of nodes may differ by this much: a heartbeat may fire early by it, as clients see it.
const clockSlackNs = int64(100 * nsPerMs)

// Order terms under one client id. Two calls with one id may have different terms.
type variant struct {
	id      string
	ticks   int64
	sizeRaw int64
	market  int
	costRaw int64
}

// An operation with a reply, at its position among those of its client.
type answered struct {
	*operation
	// For a read, how many operations of each client it must show, and the variants of its order.
	shows    []int32
	variants []int
}

// An event of Porcupine: a change, the cancels of a heartbeat, or the end.
type event struct {
	kind string
	// Its place in the list of events.
	index int
	// Nil at the end. For cancels it is the heartbeat.
	operation *operation
	callNs    int64
	returnNs  int64
	// Position among the operations of the client; -1 when the outcome is unknown.
	client int
	at     int32
	// How many operations of each client must be taken before.
	after []int32
	// Variants of the order, and the one that a place makes.
	variants []int
	variant  int
	market   int
	// The event of the heartbeat whose cancels these are, or -1 when its outcome is unknown.
	beat int
	// Cancels of a heartbeat with an unknown outcome end when one of these is taken.
	replacedBy []*event
}

const (
	kindEnd  = "end"
	kindFire = "fire"
	noBeat   = -1
)

type account struct {
	name       string
	operations []*operation
	clients    []int
	// By client, in the order of their calls.
	steps    [][]*answered
	events   []*event
	variants []variant
	markets  []string
	// Variants of each market, as bits.
	ofMarket [][]uint64
	known    int
	// How many unknown changes a chain may have, and whether that cut the search short.
	chainMax int
	isCut    bool
	// The state with the most operations taken, for the reason of a failure. Porcupine may still
	// be at work when its time is over, so the access is atomic.
	furthest atomic.Pointer[state]
}

// Divides a history by account, in the order of their first calls.
func accountsOf(operations []*operation) []*account {
	var accounts []*account
	byName := map[string][]*operation{}
	endNs := int64(0)
	for _, each := range operations {
		name := each.request.Account
		if byName[name] == nil {
			accounts = append(accounts, &account{name: name, chainMax: 1})
		}
		byName[name] = append(byName[name], each)
		endNs = max(endNs, each.callNs)
		if !each.isLost() {
			endNs = max(endNs, each.returnNs)
		}
	}
	for _, each := range accounts {
		each.build(byName[each.name], endNs+1)
	}
	return accounts
}

// Makes the events and steps of the account. `endNs` is after every call and return.
func (a *account) build(operations []*operation, endNs int64) {
	a.operations = operations
	a.addTerms(operations)
	bounds := boundsOf(operations)
	var changes []*event
	for _, each := range operations {
		if each.isVoid() {
			continue
		}
		client, at := -1, int32(-1)
		if !each.isLost() {
			client = a.clientOf(each.client)
			at = int32(len(a.steps[client]))
			a.steps[client] = append(a.steps[client], &answered{operation: each})
			a.known++
		}
		if !each.isRead() {
			changes = append(changes, a.eventOf(each, client, at))
		}
	}
	for _, each := range changes {
		bounds.narrow(each, endNs)
		// A heartbeat without a reply has no event of its own: it matters when it cancels.
		if each.kind != "heartbeat" || each.at >= 0 {
			a.events = append(a.events, each)
		}
	}
	a.addFires(changes, endNs)
	a.events = append(a.events, &event{kind: kindEnd, callNs: endNs, returnNs: endNs, at: -1})
	for at, each := range a.events {
		each.index = at
		each.after = a.returnedBefore(each.callNs)
	}
	a.setShows()
}

// Lists the terms of all orders and the markets.
func (a *account) addTerms(operations []*operation) {
	for _, each := range operations {
		r := each.request
		if r.Market != "" && !slices.Contains(a.markets, r.Market) {
			a.markets = append(a.markets, r.Market)
		}
		if r.Kind != "place" {
			continue
		}
		terms := variant{r.ClientOrderID, r.Ticks, r.SizeRaw, a.marketOf(r.Market), each.costRaw()}
		if !slices.Contains(a.variants, terms) {
			a.variants = append(a.variants, terms)
		}
	}
	a.ofMarket = make([][]uint64, len(a.markets))
	for at := range a.ofMarket {
		a.ofMarket[at] = make([]uint64, (len(a.variants)+63)/64)
	}
	for at, each := range a.variants {
		a.ofMarket[each.market] = with(a.ofMarket[each.market], at)
	}
}

func (a *account) marketOf(name string) int { return slices.Index(a.markets, name) }

func (a *account) clientOf(client int) int {
	at := slices.Index(a.clients, client)
	if at >= 0 {
		return at
	}
	a.clients = append(a.clients, client)
	a.steps = append(a.steps, nil)
	return len(a.clients) - 1
}

func (a *account) eventOf(o *operation, client int, at int32) *event {
	r := o.request
	made := &event{
		kind: r.Kind, operation: o, callNs: o.callNs, returnNs: o.returnNs,
		client: client, at: at, variants: a.variantsOf(r.ClientOrderID),
		variant: -1, market: a.marketOf(r.Market), beat: noBeat,
	}
	if r.Kind == "place" {
		terms := variant{r.ClientOrderID, r.Ticks, r.SizeRaw, made.market, o.costRaw()}
		made.variant = slices.Index(a.variants, terms)
	}
	return made
}

// How many operations of each client returned before an instant.
func (a *account) returnedBefore(ns int64) []int32 {
	counts := make([]int32, len(a.steps))
	for client, steps := range a.steps {
		count := sort.Search(len(steps), func(i int) bool { return steps[i].returnNs >= ns })
		counts[client] = int32(count)
	}
	return counts
}

// Sets what each read must show: what returned before its floor, and what its minSeq covers. The
// operations of its own client come first anyway. Of two replies at one seq none may be the
// older, so there the clock decides, unless the reply is of a change: a read that covers its seq
// comes after it.
func (a *account) setShows() {
	for _, reads := range a.steps {
		for _, read := range reads {
			if !read.isRead() {
				continue
			}
			read.variants = a.variantsOf(read.request.ClientOrderID)
			read.shows = a.returnedBefore(read.floorNs)
			for client, steps := range a.steps {
				for at := int(read.shows[client]); at < len(steps); at++ {
					if steps[at].isCoveredBy(read) {
						read.shows[client] = int32(at + 1)
					}
				}
			}
		}
	}
}

// Whether the minSeq of a read covers the reply.
func (s *answered) isCoveredBy(read *answered) bool {
	seq, minSeq := s.reply.Seq, read.request.MinSeq
	if seq == 0 || seq > minSeq {
		return false
	}
	return seq < minSeq || s.hasChanged() || s.returnNs < read.callNs
}

// Until when an order was surely absent, and until when it was surely not canceled, by client id.
// Both end for good, so an operation with an unknown outcome had its effect after them.
type bounds struct {
	absentNs map[string]int64
	openNs   map[string]int64
}

func boundsOf(operations []*operation) bounds {
	made := bounds{map[string]int64{}, map[string]int64{}}
	raise := func(to map[string]int64, id string, ns int64) {
		if before, isThere := to[id]; !isThere || before < ns {
			to[id] = ns
		}
	}
	for _, each := range operations {
		if each.isLost() || each.isVoid() {
			continue
		}
		id := each.request.ClientOrderID
		switch reply := each.reply; {
		case reply.Kind == "not_found", reply.Code == insufficientCollateral:
			raise(made.absentNs, id, each.callNs)
		case reply.Kind == "accepted" && !each.request.Replay:
			raise(made.absentNs, id, each.callNs)
		case reply.Kind == "canceled":
			raise(made.openNs, id, each.callNs)
		case reply.Kind == "order" && reply.Status == "absent":
			raise(made.absentNs, id, each.floorNs)
		case reply.Kind == "order" && reply.Status == "LIVE":
			raise(made.openNs, id, each.floorNs)
		}
	}
	return made
}

// Moves the call of an event with an unknown outcome to the first instant at which it may have an
// effect, and its return past the end.
func (b bounds) narrow(e *event, endNs int64) {
	if e.at >= 0 {
		return
	}
	e.returnNs = endNs + 1
	until := map[string]map[string]int64{"place": b.absentNs, "cancel": b.openNs}[e.kind]
	if ns, isThere := until[e.operation.request.ClientOrderID]; isThere {
		e.callNs = max(e.callNs, ns)
	}
}

// Adds the cancels of the heartbeats that may have fired.
func (a *account) addFires(changes []*event, endNs int64) {
	var answered []*event
	for _, each := range changes {
		if each.kind == "heartbeat" && each.at >= 0 {
			answered = append(answered, each)
		}
	}
	for at, each := range changes {
		after := each.operation.request.CancelAfterMs
		if each.kind != "heartbeat" || after == nil {
			continue
		}
		deadlineNs := each.operation.callNs + int64(math.Round(*after*nsPerMs))
		callNs := deadlineNs - clockSlackNs
		if callNs >= endNs || each.at >= 0 && isReplaced(each, answered, callNs) {
			continue
		}
		beat, replacedBy := noBeat, []*event(nil)
		if each.at >= 0 {
			beat = at
			each.beat = at
		} else {
			// It is armed before its own deadline, so a heartbeat after that replaces it for good.
			replacedBy = calledAfter(answered, deadlineNs+clockSlackNs)
		}
		for market := range a.markets {
			a.events = append(a.events, &event{
				kind: kindFire, operation: each.operation, callNs: callNs, returnNs: endNs + 1,
				client: -1, at: -1, variant: -1, market: market, beat: beat, replacedBy: replacedBy,
			})
		}
	}
}

// Whether a later heartbeat surely came before an instant.
func isReplaced(beat *event, answered []*event, ns int64) bool {
	return slices.ContainsFunc(answered, func(other *event) bool {
		return other.callNs > beat.returnNs && other.returnNs < ns
	})
}

func calledAfter(answered []*event, ns int64) []*event {
	var later []*event
	for _, each := range answered {
		if each.callNs > ns {
			later = append(later, each)
		}
	}
	return later
}

func (a *account) variantsOf(id string) []int {
	var found []int
	for at, each := range a.variants {
		if each.id == id {
			found = append(found, at)
		}
	}
	return found
}

// The operations of Porcupine. Events of the exchange itself have a row of their own.
func (a *account) history() []porcupine.Operation {
	made := make([]porcupine.Operation, len(a.events))
	for at, each := range a.events {
		client := each.client
		if each.at < 0 {
			client = len(a.clients)
		}
		made[at] = porcupine.Operation{
			ClientId: client, Input: each, Call: each.callNs, Return: each.returnNs,
		}
	}
	return made
}

// Reads as annotations of the visualization.
func (a *account) reads() []porcupine.Annotation {
	var made []porcupine.Annotation
	for client, steps := range a.steps {
		for _, each := range steps {
			if !each.isRead() {
				continue
			}
			made = append(made, porcupine.Annotation{
				ClientId: client, Start: each.callNs, End: each.returnNs,
				Description: each.describe(),
			})
		}
	}
	return made
}
