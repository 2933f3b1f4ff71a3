// Checks histories of clients of the exchange: is there an order of all changes, in agreement
// with real time, that explains every reply and every read? model.go says how.
//
//	check [-limit 20s] [-html FILE] HISTORY...
//
// A line for each account that fails, and one line for each history. The exit code is 0 when all
// histories have such an order, 1 when one has none or the limit was too short to find it, and 2
// when a history cannot be read.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	exitFailed     = 1
	exitUnreadable = 2
)

func main() {
	limit := flag.Duration("limit", 20*time.Second, "time to search for an order, for each account")
	html := flag.String("html", "", "file for a picture of the first account that fails")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(exitUnreadable)
	}
	failures := 0
	for _, path := range flag.Args() {
		operations, err := readHistory(path)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(exitUnreadable)
		}
		failures += check(path, operations, *limit, func(failed *account) {
			if *html == "" {
				return
			}
			if err := draw(failed, *html, *limit); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", *html, err)
			}
			*html = ""
		})
	}
	if failures > 0 {
		os.Exit(exitFailed)
	}
}

// Prints what is wrong with a history, and returns the number of accounts that fail.
func check(path string, operations []*operation, limit time.Duration, onFailed func(*account)) int {
	started := time.Now()
	name := filepath.Base(path)
	accounts := accountsOf(operations)
	failed := 0
	for _, each := range accounts {
		reason := each.check(limit)
		if reason == "" {
			continue
		}
		failed++
		fmt.Printf("%s: account %s: %s\n", name, each.name, reason)
		onFailed(each)
	}
	const words = "%s: %d operations, %d of %d accounts fail, %d ms\n"
	tookMs := time.Since(started).Milliseconds()
	fmt.Printf(words, name, len(operations), failed, len(accounts), tookMs)
	return failed
}

// Why the account fails; "" when it does not.
func (a *account) check(limit time.Duration) string {
	if conflict := a.idConflict(); conflict != "" {
		return conflict
	}
	for end := time.Now().Add(limit); ; a.chainMax *= 2 {
		a.isCut = false
		// A timeout of 0 would be none.
		left := max(time.Until(end), time.Nanosecond)
		switch porcupine.CheckOperationsTimeout(a.model(), a.history(), left) {
		case porcupine.Ok:
			return ""
		case porcupine.Unknown:
			const words = "unknown: no order found in %v, and none excluded; the best so far: %s"
			return fmt.Sprintf(words, limit, a.reason())
		}
		if !a.isCut {
			return a.reason()
		}
	}
}

// Writes the visualization of Porcupine.
func draw(a *account, path string, limit time.Duration) error {
	_, info := porcupine.CheckOperationsVerbose(a.model(), a.history(), limit)
	info.AddAnnotations(a.reads())
	return porcupine.VisualizePath(a.model(), info, path)
}
