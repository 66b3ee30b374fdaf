package labtest_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
	"verbatim/examples/lab/labtest"
)

// A stranger's Redis, which no lab may use.
const stranger = "redis://127.0.0.1:1/0"

func TestMain(m *testing.M) {
	labtest.Main(m, func() { lab.Main(example, lab.Server{Name: "pong", Handler: pong}) })
}

// example asks a server of its own, which asks Redis.
func example(ctx context.Context, l *lab.Lab) error {
	server, err := l.Serve(ctx, "pong")
	if err != nil {
		return err
	}
	response, err := http.Get(server.URL)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	fmt.Println(os.Getenv("GREETING"), response.Status)
	return nil
}

func pong(rdb *redis.Client, _ func(string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := rdb.Ping(r.Context()).Err(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

func TestOpenGivesARedisOfItsOwn(t *testing.T) {
	t.Setenv("REDIS_URL", stranger)
	t.Setenv("VERBATIM_CONTROL", "http://127.0.0.1:1/")
	l := labtest.Open(t)
	if err := l.Redis().Ping(t.Context()).Err(); err != nil {
		t.Error(err)
	}
}

func TestOutput(t *testing.T) {
	t.Setenv("REDIS_URL", stranger)
	t.Setenv("VERBATIM_CONTROL", "http://127.0.0.1:1/")
	if got, want := labtest.Output(t, "GREETING=hello"), "hello 200 OK\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}
