// Command guide-visits counts the visits of two pages in Redis. It is the
// program that the author's guide quotes, and whose output it shows.
package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
)

func main() { lab.Main(story) }

// minutes are five minutes of a quiet site: visits of the home page and of the
// help page.
var minutes = []struct{ home, help int }{{3, 1}, {5, 1}, {4, 2}, {6, 0}, {2, 3}}

// story is the run: each line that it prints is recorded.
func story(ctx context.Context, l *lab.Lab) error {
	found, err := l.Redis().DBSize(ctx).Result()
	if err != nil {
		return err
	}
	fmt.Println("keys at the start:", found)

	rows, err := fiveMinutes(ctx, l.Redis())
	if err != nil {
		return err
	}
	home, err := l.Redis().Get(ctx, "visits:home").Int()
	if err != nil {
		return err
	}
	size, err := bytesPerKey(ctx, l.Redis())
	if err != nil {
		return err
	}
	// [record]
	return errors.Join(
		l.Value("keys_at_start", found),
		l.Value("home", home),
		l.Value("bytes_per_key", size),
		l.Table("visits.csv", columns, rows))
	// [/record]
}

var columns = []string{"minute", "page", "visits so far"}

// fiveMinutes counts every visit and returns a row for each minute and page.
func fiveMinutes(ctx context.Context, rdb *redis.Client) (rows [][]string, err error) {
	for i, m := range minutes {
		home, err := visit(ctx, rdb, "home", m.home)
		if err != nil {
			return nil, err
		}
		help, err := visit(ctx, rdb, "help", m.help)
		if err != nil {
			return nil, err
		}
		fmt.Printf("minute %d: home %d, help %d\n", i+1, home, help)
		minute := strconv.Itoa(i + 1)
		rows = append(rows,
			[]string{minute, "home", strconv.FormatInt(home, 10)},
			[]string{minute, "help", strconv.FormatInt(help, 10)})
	}
	return rows, nil
}

// visit counts visits of a page and returns how many there were so far.
func visit(ctx context.Context, rdb *redis.Client, page string, visits int) (int64, error) {
	return rdb.IncrBy(ctx, "visits:"+page, int64(visits)).Result()
}

const (
	sample = 10_000 // keys, for one alone is lost in what a server rounds
	batch  = 100    // of them at once, so that no buffer weighs more than they do
)

// bytesPerKey measures what a counter takes in the server's memory.
func bytesPerKey(ctx context.Context, rdb *redis.Client) (int64, error) {
	before, err := used(ctx, rdb)
	if err != nil {
		return 0, err
	}
	for first := 0; first < sample; first += batch {
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := range batch {
				p.Incr(ctx, fmt.Sprintf("visits:page-%05d", first+i))
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	after, err := used(ctx, rdb)
	return (after - before) / sample, err
}

// used is the memory that the server holds, in bytes.
func used(ctx context.Context, rdb *redis.Client) (int64, error) {
	info := rdb.InfoMap(ctx, "memory")
	if err := info.Err(); err != nil {
		return 0, err
	}
	return strconv.ParseInt(info.Item("Memory", "used_memory"), 10, 64)
}
