package main

import (
	"math/bits"
	"slices"

	"github.com/anishathalye/porcupine"
)

// The model of one account, and how reads are modelled.
//
// Changes are linearizable: Porcupine looks for one order of them that agrees with real time and
// explains every reply. Reads are not, because any node answers them. A read may return any state
// of the account between the newest that it must show and its return. It must show what its
// client has seen before, and every operation whose X-Seq is at most its X-Min-Seq. So a read is
// no event of Porcupine. It is taken at the first state on the way that has its value, once
// everything that it must show is taken. No change that was called after its return may pass
// before.
//
// Taking a read as early as possible loses no order: a read changes nothing, and the next
// operation of its client waits for nothing else. Whatever order takes it later also works when
// it is taken here. The search therefore never chooses between reads, and the state says how many
// operations of each client are taken.
//
// A change with an unknown outcome may happen at any time after its call. It may only be taken
// where it has an effect, or after the last event, which means that it never happened. Something
// that shows that it has not happened yet moves its call to there. The cancels of a heartbeat are
// such changes too, from its deadline on. The exchange cancels in one command per market, so they
// are at once for the orders of one market.
//
// Such changes are taken as late as possible, because many of them at any time are too many
// choices. Those in a row are a chain, which ends with an answered change, or with one after
// which a read is taken. The search leaves a chain when one of its changes could as well come
// after that end: the same account results, with as many operations taken. Of all ways to explain
// the account, it never leaves the one with the latest unknown changes. It begins with short
// chains, because most are. Only a search that the limit of the chains did not cut short proves
// that there is no order.
//
// The accounts of a history are checked one by one, each with its own limit of time. What one
// account proves about another is used only where it bounds the time of a read.

// A state of the account on one way through the history. It is never changed once it is made, and
// states share the slices in which they do not differ.
type state struct {
	freeRaw     int64
	reservedRaw int64
	// Shares of each outcome by market: splits make as many of both.
	sharesRaw []int64
	// Variants that were placed, and those of them that are canceled, as bits.
	placed []uint64
	ended  []uint64
	// The heartbeat that may fire.
	beat   int
	isOver bool
	// How many operations with a reply are taken, of each client and of all.
	taken []int32
	count int
	// The unknown changes since the end of the last chain, and the state before them.
	chain []*event
	base  *state
}

func (s *state) clone() *state {
	next := *s
	next.taken = slices.Clone(s.taken)
	next.chain, next.base = nil, nil
	return &next
}

// Whether the account is the same, whatever is taken.
func (s *state) isLike(other *state) bool {
	return s.freeRaw == other.freeRaw && s.reservedRaw == other.reservedRaw &&
		s.beat == other.beat && s.isOver == other.isOver && slices.Equal(s.placed, other.placed) &&
		slices.Equal(s.ended, other.ended) && slices.Equal(s.sharesRaw, other.sharesRaw)
}

// Whether the other is the same account with as many operations taken, or more.
func (s *state) isCoveredBy(other *state) bool {
	return s.isLike(other) && covers(other.taken, s.taken)
}

func equal(one, other any) bool {
	a, b := one.(*state), other.(*state)
	if !a.isLike(b) || !slices.Equal(a.taken, b.taken) || !slices.Equal(a.chain, b.chain) {
		return false
	}
	// Both chains are empty, or both have a base.
	return a.base == b.base || equal(a.base, b.base)
}

func hash(of any) uint64 {
	s := of.(*state)
	mixed := uint64(14695981039346656037)
	mix := func(value uint64) { mixed = bits.RotateLeft64((mixed^value)*1099511628211, 29) }
	mix(uint64(s.freeRaw))
	mix(uint64(s.reservedRaw))
	mix(uint64(s.beat))
	for _, each := range s.taken {
		mix(uint64(each))
	}
	for at := range s.placed {
		mix(s.placed[at])
		mix(s.ended[at])
	}
	return mixed
}

func has(set []uint64, at int) bool { return set[at/64]&(1<<(at%64)) != 0 }

func with(set []uint64, at int) []uint64 {
	next := slices.Clone(set)
	next[at/64] |= 1 << (at % 64)
	return next
}

// The placed one of these variants, or -1.
func (s *state) placedOf(variants []int) int {
	for _, each := range variants {
		if has(s.placed, each) {
			return each
		}
	}
	return -1
}

func (s *state) statusOf(variants []int) string {
	switch placed := s.placedOf(variants); {
	case placed < 0:
		return "absent"
	case has(s.ended, placed):
		return "CANCELED"
	}
	return "LIVE"
}

func (e *event) isUnknown() bool { return e.at < 0 && e.kind != kindEnd }

func (a *account) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any {
			start := a.start()
			a.settle(start)
			a.note(start)
			return start
		},
		Step: func(from, input, _ any) (bool, any) {
			next := a.step(from.(*state), input.(*event))
			if next != nil {
				a.note(next)
			}
			return next != nil, next
		},
		Equal:             equal,
		Hash:              hash,
		DescribeOperation: func(input, _ any) string { return input.(*event).describe() },
		DescribeState:     func(of any) string { return a.describe(of.(*state)) },
	}
}

func (a *account) start() *state {
	words := (len(a.variants) + 63) / 64
	return &state{
		sharesRaw: make([]int64, len(a.markets)),
		placed:    make([]uint64, words),
		ended:     make([]uint64, words),
		beat:      noBeat,
		taken:     make([]int32, len(a.clients)),
	}
}

// The state after an event; nil when the event may not be next, or need not be.
func (a *account) step(from *state, e *event) *state {
	next := a.after(from, e)
	if next == nil || from.isOver {
		return next
	}
	if e.isUnknown() && next.count == from.count {
		return a.extend(from, e, next)
	}
	if e.kind == kindEnd && len(from.chain) > 0 {
		return nil
	}
	for at, each := range from.chain {
		without := a.afterAll(from.base, slices.Concat(from.chain[:at], from.chain[at+1:]))
		if without != nil {
			without = a.after(without, e)
		}
		// An unknown change must end the chain without this one too.
		if without == nil || e.isUnknown() && !covers(without.taken, next.taken) {
			continue
		}
		if later := a.after(without, each); later != nil && next.isCoveredBy(later) {
			return nil
		}
	}
	return next
}

// The state with a longer chain. Changes of a chain that may have any order are in that of the
// list.
func (a *account) extend(from *state, e *event, next *state) *state {
	length := len(from.chain)
	if length == a.chainMax {
		a.isCut = true
		return nil
	}
	next.base = from
	if length > 0 {
		next.base = from.base
		last := from.chain[length-1]
		sorted := slices.Concat(from.chain[:length-1], []*event{e, last})
		if e.index < last.index {
			if other := a.afterAll(from.base, sorted); other != nil && next.isCoveredBy(other) {
				return nil
			}
		}
	}
	next.chain = append(slices.Clone(from.chain), e)
	return next
}

// The state after some events; nil when one of them may not be next.
func (a *account) afterAll(s *state, events []*event) *state {
	for _, each := range events {
		if s == nil {
			return nil
		}
		s = a.after(s, each)
	}
	return s
}

// The state after an event, with the reads taken that it shows; nil when it may not be next.
func (a *account) after(from *state, e *event) *state {
	if !covers(from.taken, e.after) {
		return nil
	}
	isKnown := e.at >= 0
	if isKnown && from.taken[e.client] != e.at {
		return nil
	}
	if e.isUnknown() && from.isOver {
		return from
	}
	next := from.clone()
	if e.kind == kindEnd {
		next.isOver = true
		return next
	}
	if !a.apply(next, e) {
		return nil
	}
	if isKnown {
		next.taken[e.client]++
		next.count++
	}
	a.settle(next)
	return next
}

func covers(taken, needed []int32) bool {
	for client, count := range needed {
		if taken[client] < count {
			return false
		}
	}
	return true
}

// Changes the state, or returns false: with a reply, when the state does not explain it; without,
// when the event has no effect.
func (a *account) apply(s *state, e *event) bool {
	switch e.kind {
	case "place":
		return a.place(s, e)
	case "cancel":
		return a.cancel(s, e)
	case "heartbeat":
		s.beat = e.beat
		return true
	case kindFire:
		return a.fire(s, e)
	case "split":
		amountRaw := e.operation.request.AmountRaw
		isCovered := amountRaw <= s.freeRaw
		if e.at >= 0 && e.operation.reply.Kind == "refused" {
			return !isCovered
		}
		if isCovered {
			s.freeRaw -= amountRaw
			s.sharesRaw = slices.Clone(s.sharesRaw)
			s.sharesRaw[e.market] += amountRaw
		}
		return isCovered
	case "deposit":
		s.freeRaw += e.operation.request.AmountRaw
		return true
	}
	panic("unknown event " + e.kind)
}

func (a *account) place(s *state, e *event) bool {
	costRaw := a.variants[e.variant].costRaw
	isPlaced := s.placedOf(e.variants) >= 0
	isCovered := costRaw <= s.freeRaw
	if e.at >= 0 {
		switch {
		case e.operation.reply.Code == insufficientCollateral:
			// A used client id is refused first.
			return !isPlaced && !isCovered
		case e.operation.reply.Kind == "refused":
			return isPlaced
		case isPlaced && e.operation.request.Replay:
			return true
		}
	}
	if isPlaced || !isCovered {
		return false
	}
	s.placed = with(s.placed, e.variant)
	s.freeRaw -= costRaw
	s.reservedRaw += costRaw
	return true
}

func (a *account) cancel(s *state, e *event) bool {
	status := s.statusOf(e.variants)
	if e.at >= 0 {
		switch e.operation.reply.Kind {
		case "not_found":
			return status == "absent"
		case "not_open":
			return status == "CANCELED"
		}
	}
	if status != "LIVE" {
		return false
	}
	a.end(s, s.placedOf(e.variants))
	return true
}

// Ends a live order and frees its reserve.
func (a *account) end(s *state, at int) {
	s.ended = with(s.ended, at)
	costRaw := a.variants[at].costRaw
	s.freeRaw += costRaw
	s.reservedRaw -= costRaw
}

// Cancels the live orders of a market for a heartbeat.
func (a *account) fire(s *state, e *event) bool {
	if e.beat != noBeat && s.beat != e.beat {
		return false
	}
	for _, later := range e.replacedBy {
		if s.taken[later.client] > later.at {
			return false
		}
	}
	hasEnded := false
	for word, ofMarket := range a.ofMarket[e.market] {
		live := s.placed[word] &^ s.ended[word] & ofMarket
		for ; live != 0; live &= live - 1 {
			a.end(s, word*64+bits.TrailingZeros64(live))
			hasEnded = true
		}
	}
	return hasEnded
}

// Takes every read that this state explains.
func (a *account) settle(s *state) {
	for hasTaken := true; hasTaken; {
		hasTaken = false
		for client, steps := range a.steps {
			for int(s.taken[client]) < len(steps) {
				next := steps[s.taken[client]]
				if !next.isRead() || !covers(s.taken, next.shows) || !a.explains(s, next) {
					break
				}
				s.taken[client]++
				s.count++
				hasTaken = true
			}
		}
	}
}

// Keeps the state that explains the most.
func (a *account) note(s *state) {
	if best := a.furthest.Load(); best == nil || s.count > best.count {
		a.furthest.Store(s)
	}
}

// Whether a read of this state has this value.
func (a *account) explains(s *state, read *answered) bool {
	shown := read.reply
	if read.request.Kind == "order" {
		return shown.Status == s.statusOf(read.variants)
	}
	if shown.FreeRaw != s.freeRaw || shown.ReservedRaw != s.reservedRaw {
		return false
	}
	for market, sharesRaw := range shown.SharesRaw {
		at := slices.Index(a.markets, market)
		if at < 0 && sharesRaw != 0 || at >= 0 && s.sharesRaw[at] != sharesRaw {
			return false
		}
	}
	return true
}
