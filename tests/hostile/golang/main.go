// Goroutines that compute in tight loops, so that only signals preempt them, grow their stacks and collect garbage, while others call
// the library.
package main

/*
#cgo CFLAGS: -fopenmp -O2
#cgo LDFLAGS: -fopenmp
#include "library.h"
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	seconds = 1
	members = 6
	callers = 2
)

var stop int32

func deep(n int) int {
	var block [64]int
	block[n%64] = n
	if n == 0 {
		return 0
	}
	return deep(n-1) + block[n%64] - n
}

func compute(sum *uint64) {
	x := uint64(1)
	for i := 0; i < 5000000; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	*sum += x
}

func main() {
	runtime.GOMAXPROCS(3)
	var group sync.WaitGroup
	sums := make([]uint64, 2)
	for i := range sums {
		group.Add(1)
		go func(sum *uint64) {
			defer group.Done()
			for atomic.LoadInt32(&stop) == 0 {
				compute(sum)
			}
		}(&sums[i])
	}
	group.Add(1)
	go func() {
		defer group.Done()
		for atomic.LoadInt32(&stop) == 0 {
			if deep(2000) != 0 {
				fmt.Println("the stack of a goroutine was overwritten")
				os.Exit(1)
			}
			runtime.GC()
		}
	}()
	bad := int32(0)
	for i := 0; i < callers; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for atomic.LoadInt32(&stop) == 0 {
				if C.call_members(members, 1) != members {
					atomic.AddInt32(&bad, 1)
				}
			}
		}()
	}
	time.Sleep(seconds * time.Second)
	atomic.StoreInt32(&stop, 1)
	group.Wait()
	if bad != 0 {
		fmt.Println(bad, "calls of the library were wrong")
		os.Exit(1)
	}
}
