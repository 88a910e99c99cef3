package kernel

import (
	"os"
	"runtime"
	"sync"
	"time"
)

// usageMeter remembers the last reading, for CPU use in between.
type usageMeter struct {
	mu    sync.Mutex
	cpu   time.Duration
	since time.Time
}

// usageRequest answers the resource monitors of front ends: the kernel's CPU
// use since the last request in percent of one core, memory in bytes.
func (k *front) usageRequest(r *request) {
	pids := append([]int{os.Getpid()}, k.session.PIDs()...)
	var memory int64
	var cpu time.Duration
	for _, pid := range pids {
		m, c := processUsage(pid)
		memory, cpu = memory+m, cpu+c
	}
	u := &k.usage
	u.mu.Lock()
	now := time.Now()
	percent := 0.0
	if !u.since.IsZero() && cpu > u.cpu {
		percent = 100 * float64(cpu-u.cpu) / float64(now.Sub(u.since))
	}
	u.cpu, u.since = cpu, now
	u.mu.Unlock()
	host, _ := os.Hostname()
	total, available := memoryTotal(), memoryAvailable()
	used := 0.0
	if total > 0 {
		used = 100 * float64(total-available) / float64(total)
	}
	k.reply(r, encode(object{
		"status": "ok", "hostname": host, "pid": os.Getpid(), "kernel_cpu": percent, "kernel_memory": memory, "cpu_count": runtime.NumCPU(),
		"host_virtual_memory": object{"total": total, "available": available, "used": total - available, "percent": used},
	}))
}
