package main

import (
	"fmt"
	"strings"
)

// What is wrong with an account, as a sentence.

func (e *event) describe() string {
	switch e.kind {
	case kindEnd:
		return "end"
	case kindFire:
		return fmt.Sprintf("cancels of the heartbeat of line %d", e.operation.line)
	}
	return e.operation.describe()
}

func (o *operation) describe() string {
	r := o.request
	text := r.Kind
	switch r.Kind {
	case "place":
		text += fmt.Sprintf(" of %s for %d", r.ClientOrderID, o.costRaw())
	case "cancel", "order":
		text += " of " + r.ClientOrderID
	case "split", "deposit":
		text += fmt.Sprintf(" of %d", r.AmountRaw)
	}
	if o.isLost() {
		return text + " -> unknown"
	}
	switch o.reply.Kind {
	case "refused":
		return text + " -> refused " + o.reply.Code
	case "order":
		return text + " -> " + o.reply.Status
	case "balance":
		return fmt.Sprintf("%s -> free %d, reserved %d", text, o.reply.FreeRaw, o.reply.ReservedRaw)
	}
	return text + " -> " + o.reply.Kind
}

func (a *account) describe(s *state) string {
	var open []string
	for at, each := range a.variants {
		if has(s.placed, at) && !has(s.ended, at) {
			open = append(open, each.id)
		}
	}
	const words = "free %d, reserved %d, live orders [%s]"
	return fmt.Sprintf(words, s.freeRaw, s.reservedRaw, strings.Join(open, " "))
}

// Why no order of the operations explains the account: the operation that must come first among
// those that fit nowhere, at the state that explains the most operations.
func (a *account) reason() string {
	s := a.furthest.Load()
	var stuck *answered
	for client, steps := range a.steps {
		if int(s.taken[client]) == len(steps) {
			continue
		}
		if next := steps[s.taken[client]]; stuck == nil || next.returnNs < stuck.returnNs {
			stuck = next
		}
	}
	if stuck == nil {
		return "no order of the operations explains the replies"
	}
	shown := a.describe(s)
	if id := stuck.request.ClientOrderID; id != "" {
		shown += ", " + id + " " + s.statusOf(a.variantsOf(id))
	}
	const words = "line %d: %s has no explanation; %d of %d operations have one, up to: %s"
	return fmt.Sprintf(words, stuck.line, stuck.describe(), s.count, a.known, shown)
}

// Why the order ids cannot be right: each belongs to one client id, and the reverse. "" when they
// do.
func (a *account) idConflict() string {
	orderOf, clientOf := map[string]string{}, map[string]string{}
	for _, each := range a.operations {
		if each.isLost() || each.reply.OrderID == "" {
			continue
		}
		id, orderID := each.request.ClientOrderID, each.reply.OrderID
		if before, isThere := orderOf[id]; isThere && before != orderID {
			return fmt.Sprintf("line %d: %s is order %s and order %s", each.line, id, before, orderID)
		}
		if before, isThere := clientOf[orderID]; isThere && before != id {
			return fmt.Sprintf("line %d: order %s is %s and %s", each.line, orderID, before, id)
		}
		orderOf[id], clientOf[orderID] = orderID, id
	}
	return ""
}
