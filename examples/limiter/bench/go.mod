module verbatim/examples/limiter/bench

go 1.26.0

replace verbatim => ../../..

require (
	github.com/go-redis/redis_rate/v10 v10.0.1
	github.com/gomodule/redigo v1.8.9
	github.com/redis/go-redis/v9 v9.23.0
	github.com/sethvargo/go-redisstore v0.3.0
	github.com/throttled/throttled/v2 v2.15.0
	github.com/ulule/limiter/v3 v3.11.2
	verbatim v0.0.0-00010101000000-000000000000
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/sethvargo/go-limiter v0.6.0 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)
