package httpserver_test

import (
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

// The tests of this file are run against every handler that svc serves: what one
// of them does for a slow client, all do.

// eachCall runs a test for each call of each target.
func eachCall(t *testing.T, test func(t *testing.T, p *pipes, tt *target, c *call)) {
	for name, tt := range targets(t) {
		for i := range tt.calls {
			c := &tt.calls[i]
			t.Run(name+" "+c.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					test(t, run(t, tt.handler), tt, c)
					synctest.Wait()
					tt.wantsNothingHeld(t)
				})
			})
		}
	}
}

// bodies that do not come, or not whole.
var bodies = map[string]struct{ line, part string }{
	"nothing":       {"Content-Length: 10", ""},
	"half":          {"Content-Length: 10", "12345"},
	"much declared": {"Content-Length: 1000000", "x"},
	"no chunk":      {"Transfer-Encoding: chunked", ""},
	"half a chunk":  {"Transfer-Encoding: chunked", "a\r\n12345"},
	"no last chunk": {"Transfer-Encoding: chunked", "5\r\n12345\r\n"},
}

// A body that is declared and never comes holds up no answer that does not depend
// on it. The connection closes two seconds later.
func TestBodyNeverComes(t *testing.T) {
	eachCall(t, func(t *testing.T, p *pipes, tt *target, c *call) {
		for name, body := range bodies {
			w := p.dial(t)
			w.send(c.request(body.line) + body.part)
			if c.wantsBody {
				w.wantsEnd(t, 30*time.Second, 32*time.Second)
				continue
			}
			status, _ := w.receive(t, c.method)
			if took := time.Since(w.begin); status != c.status || took != 0 {
				t.Errorf("%s: %d after %v, want %d at once", name, status, took, c.status)
			}
			w.wantsClose(t, 2*time.Second)
		}
	})
}

// wantsEnd waits until the server closes the connection. Whether it answers is its
// matter.
func (c *client) wantsEnd(t *testing.T, earliest, latest time.Duration) {
	t.Helper()
	_, _ = io.Copy(io.Discard, c.in)
	if took := time.Since(c.begin); took < earliest || took > latest {
		t.Errorf("closed after %v, want %v to %v", took, earliest, latest)
	}
}

// A server that stops waits neither for bodies nor for connections without a request,
// but a second in which clients of HTTP/2 hear of it.
func TestStopWaitsForNobody(t *testing.T) {
	for name, tt := range targets(t) {
		if name == "operators" {
			continue // that port is broken off at once
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPipes()
				s := httpserver.Start(p, tt.handler, httpserver.Options{})
				fresh, half, used := p.dial(t), p.dial(t), p.dial(t)
				head := tt.calls[0].request()
				half.send(head[:len(head)/2])
				used.send(head)
				used.receive(t, tt.calls[0].method)
				waiting := []*client{fresh, half, used}
				for i := range tt.calls {
					if c := &tt.calls[i]; c.wantsBody {
						bodiless, multiplexed := p.dial(t), p.dial2(t, 1<<30)
						bodiless.send(c.request("Content-Length: 10") + "12345")
						multiplexed.request(1, multiplexed.head(c.method, c.path, c.fields()...), false)
						multiplexed.settle()
						if _, isThere := multiplexed.status[1]; isThere {
							t.Errorf("%s is answered without its body", c)
						}
						waiting = append(waiting, bodiless)
					}
				}
				synctest.Wait()
				begin := time.Now()
				if err := s.Close(t.Context()); err != nil {
					t.Error(err)
				}
				if took := time.Since(begin); took > 2*time.Second {
					t.Errorf("it took %v", took)
				}
				for _, w := range waiting {
					if rest, _ := io.ReadAll(w.in); len(rest) > 0 {
						t.Errorf("%.100q came", rest)
					}
				}
				tt.wantsNothingHeld(t)
			})
		})
	}
}

// A client that sends its body byte by byte is a slow one, too.
func TestBodyTrickles(t *testing.T) {
	eachCall(t, func(t *testing.T, p *pipes, tt *target, c *call) {
		w := p.dial(t)
		w.trickle(c.request("Content-Length: 1000"), strings.Repeat(" ", 1000))
		if c.wantsBody {
			w.wantsEnd(t, 30*time.Second, 32*time.Second)
			return
		}
		if status, _ := w.receive(t, c.method); status != c.status {
			t.Errorf("status %d, want %d", status, c.status)
		}
		w.wantsEnd(t, 2*time.Second, 2*time.Second)
	})
}

// A client that does not take its answer is cut after 30 seconds, one that takes
// 256 KiB in that time is not.
func TestAnswerNotTaken(t *testing.T) {
	eachCall(t, func(t *testing.T, p *pipes, tt *target, c *call) {
		if c.wantsBody {
			return
		}
		never := p.dial(t)
		never.send(c.request())
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if _, err := never.Read(make([]byte, 1)); err != nil {
			t.Errorf("cut before 30 seconds: %v", err)
		}
		never.begin = time.Now()
		never.wantsCut(t)

		for rate, isCut := range map[int]bool{4 << 10: true, 16 << 10: false} { // bytes a second
			slow := p.dial(t)
			slow.send(c.request("Connection: close"))
			n := 0
			for err := error(nil); err == nil; {
				var m int64
				m, err = io.CopyN(io.Discard, slow.in, int64(rate))
				n += int(m)
				time.Sleep(time.Second)
			}
			if c.isLarge && isCut != (n < 300<<10) {
				t.Errorf("%d bytes at %d a second", n, rate)
			}
		}
	})
}

// wantsCut checks that nothing more can be read once the time to take an answer
// is over.
func (c *client) wantsCut(t *testing.T) {
	t.Helper()
	time.Sleep(31 * time.Second)
	synctest.Wait()
	rest, err := io.ReadAll(c.in)
	if len(rest) > 64<<10 {
		t.Errorf("%d bytes are still there after 30 seconds, %v", len(rest), err)
	}
}

// A head has five seconds, over HTTP/1 from its first byte on. Nothing at all has
// no more.
func TestHeadNeverEnds(t *testing.T) {
	for name, tt := range targets(t) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := run(t, tt.handler)
				head := tt.calls[0].request()
				for n := range len(head) - 1 {
					w := p.dial(t)
					w.send(head[:n])
					w.wantsEnd(t, 5*time.Second, 5*time.Second)
				}
				trickling := p.dial(t)
				trickling.trickle("", head)
				trickling.wantsEnd(t, 5*time.Second, 5*time.Second)
			})
		})
	}
}

// A connection without a request is closed after two minutes.
func TestIdle(t *testing.T) {
	for name, tt := range targets(t) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := run(t, tt.handler).dial(t)
				for range 3 {
					w.begin = time.Now()
					w.send(tt.calls[0].request())
					if status, _ := w.receive(t, tt.calls[0].method); status != tt.calls[0].status {
						t.Errorf("status %d", status)
					}
					time.Sleep(100 * time.Second)
				}
				w.begin = time.Now()
				w.wantsClose(t, 20*time.Second)
			})
		})
	}
}

// Over HTTP/2 an answer that does not depend on the body comes at once, too, and
// ends the stream. One that does is given up after 30 seconds.
func TestBodyNeverComes2(t *testing.T) {
	eachCall(t, func(t *testing.T, p *pipes, tt *target, c *call) {
		w := p.dial2(t, 1<<30)
		for i, fields := range [][]string{{"content-length", "10"}, nil, {"expect", "100-continue"}} {
			w.request(uint32(2*i+1), w.head(c.method, c.path, c.fields(fields...)...), false)
		}
		if c.wantsBody {
			time.Sleep(30 * time.Second)
		}
		w.settle()
		for _, id := range []uint32{1, 3, 5} {
			want := time.Duration(0)
			if c.wantsBody {
				want = 30 * time.Second
			}
			if took, ok := w.ended[id]; !ok || took != want {
				t.Errorf("stream %d ended after %v: %v; want %v", id, took, ok, want)
			}
			if !c.wantsBody && w.status[id] != strconv.Itoa(c.status) {
				t.Errorf("stream %d: status %q, want %d", id, w.status[id], c.status)
			}
		}
	})
}

// A client that opens no window for an answer loses the stream after 30 seconds,
// and one that does not even read loses the connection.
func TestAnswerNotTaken2(t *testing.T) {
	eachCall(t, func(t *testing.T, p *pipes, tt *target, c *call) {
		if c.wantsBody {
			return
		}
		const streams = 8
		w := p.dial2(t, 0)
		requests := func(w *client2) {
			for i := range uint32(streams) {
				w.request(2*i+1, w.head(c.method, c.path, c.fields()...), true)
			}
		}
		deaf := p.dial(t)
		deaf.send(frames(requests))
		requests(w)
		time.Sleep(31 * time.Second)
		w.settle()
		for i := range uint32(streams) {
			if took, ok := w.ended[2*i+1]; !ok || took > 30*time.Second {
				t.Errorf("stream %d ended after %v: %v", 2*i+1, took, ok)
			}
		}
		if rest, err := io.ReadAll(deaf.in); err == nil && len(rest) > 0 {
			t.Errorf("a connection of which nothing is read is open with %d bytes", len(rest))
		}
	})
}

// A connection of HTTP/2 may have 8 streams, and is told so. One more is refused.
func TestStreams(t *testing.T) {
	const streams = 8
	for name, tt := range targets(t) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := run(t, tt.handler).dial2(t, 0)
				w.settle()
				if n := w.maximum[http2.SettingMaxConcurrentStreams]; n != streams {
					t.Errorf("the server allows %d streams", n)
				}
				_ = w.WriteSettingsAck()
				for i := range uint32(streams + 1) {
					w.request(2*i+1, w.head("GET", tt.calls[0].path), true)
				}
				w.settle()
				if _, isRefused := w.reset[2*streams+1]; !isRefused || len(w.reset) != 1 || w.closed != 0 {
					t.Errorf("refused are %v, the connection closed after %v", w.reset, w.closed)
				}
			})
		})
	}
}

// A client of HTTP/2 may send 64 KiB that nobody has asked for, on all streams together, in
// frames of 16 KiB at most: so much the server may have to keep of each connection.
func TestWindows(t *testing.T) {
	const most, frame, before = 64 << 10, 16 << 10, 65_535 // RFC 9113 section 6.9.2
	for name, tt := range targets(t) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := run(t, tt.handler).dial2(t, 0)
				w.settle()
				stream, isSet := w.maximum[http2.SettingInitialWindowSize]
				if isSet && stream > most || before+w.widened > most || w.maximum[http2.SettingMaxFrameSize] > frame {
					t.Errorf("a stream may send %d bytes (set: %v), the connection %d, a frame %d",
						stream, isSet, before+w.widened, w.maximum[http2.SettingMaxFrameSize])
				}
			})
		})
	}
}

// Of a body that nobody wants 16 MiB are dropped, so that a client that sends no more
// can go on. Then the connection closes.
func TestRestOfBody(t *testing.T) {
	const most = 16 << 20
	for name, tt := range targets(t) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := run(t, tt.handler)
				for size, goesOn := range map[int]bool{most: true, 2 * most: false} {
					w := p.dial(t)
					taken := 0
					w.all.Go(func() {
						head := "POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + strconv.Itoa(size) + "\r\n\r\n"
						n, _ := io.WriteString(w, head+strings.Repeat("x", size)+tt.calls[0].request())
						taken = n - len(head)
					})
					if status, _ := w.receive(t, "POST"); status != 404 {
						t.Errorf("status %d", status)
					}
					if goesOn {
						if status, _ := w.receive(t, "GET"); status != tt.calls[0].status {
							t.Errorf("status %d after a body of %d bytes", status, size)
						}
						continue
					}
					w.wantsClose(t, 0)
					w.all.Wait()
					if slack := 512 << 10; taken > most+slack {
						t.Errorf("%d bytes were read", taken)
					}
				}
			})
		})
	}
}

// Over HTTP/2 a head has five seconds, too, from the first byte of its first frame
// on, in however many frames it comes. Then the connection closes.
func TestHeadNeverEnds2(t *testing.T) {
	for name, tt := range targets(t) {
		call := &tt.calls[0]
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := run(t, tt.handler)
				begin := func(w *client2) []byte {
					block := w.head(call.method, call.path)
					_ = w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:3]})
					return block
				}
				whole := frames(func(w *client2) { w.request(1, w.head(call.method, call.path), true) })
				preface := len(frames(func(*client2) {}))
				for n := preface + 1; n < len(whole); n++ {
					w := p.dial(t)
					w.send(whole[:n])
					w.wantsEnd(t, 5*time.Second, 5*time.Second)
				}
				awaited := p.dial(t)
				awaited.send(frames(func(w *client2) { begin(w) }))
				awaited.wantsEnd(t, 5*time.Second, 5*time.Second)

				trickling := p.dial(t)
				trickling.trickle(frames(func(w *client2) { begin(w) }), strings.Repeat(string(frames(func(w *client2) {
					_ = w.WriteContinuation(1, false, nil)
				})[preface:]), 100))
				trickling.wantsEnd(t, 5*time.Second, 5*time.Second)

				endless := p.dial(t)
				endless.send(frames(func(w *client2) {
					begin(w)
					for range 5000 {
						_ = w.WriteContinuation(1, false, nil)
					}
				}))
				endless.wantsEnd(t, 0, 0)

				// What is slow and in time is answered.
				patient := p.dial2(t, 1<<30)
				block := begin(patient)
				for i := range block[3:] {
					time.Sleep(4 * time.Second / time.Duration(len(block)))
					_ = patient.WriteContinuation(1, i == len(block)-4, block[3+i:4+i])
				}
				patient.settle()
				if want := strconv.Itoa(call.status); patient.status[1] != want || patient.closed != 0 {
					t.Errorf("status %q, closed after %v; want %s", patient.status[1], patient.closed, want)
				}
				time.Sleep(10 * time.Second)
				if patient.settle(); patient.closed != 0 {
					t.Errorf("closed after %v, when its head was complete", patient.closed)
				}
			})
		})
	}
}

// Frames that ask for an answer are counted until something is taken. What the
// server says to them is not kept for ever.
func TestFloods(t *testing.T) {
	for name, tt := range targets(t) {
		call := &tt.calls[0]
		for kind, flood := range map[string]func(w *client2, i uint32){
			"PING":          func(w *client2, _ uint32) { _ = w.WritePing(false, [8]byte{}) },
			"SETTINGS":      func(w *client2, _ uint32) { _ = w.WriteSettings() },
			"PRIORITY":      func(w *client2, i uint32) { _ = w.WritePriority(2*i+1, http2.PriorityParam{}) },
			"WINDOW_UPDATE": func(w *client2, _ uint32) { _ = w.WriteWindowUpdate(0, 1) },
			"unknown":       func(w *client2, _ uint32) { _ = w.WriteRawFrame(0xbb, 0, 0, nil) },
			"empty DATA":    func(w *client2, _ uint32) { _ = w.WriteData(1, false, nil) },
			"streams":       func(w *client2, i uint32) { w.request(2*i+3, w.head(call.method, call.path), true) },
			"resets": func(w *client2, i uint32) {
				w.request(2*i+3, w.head(call.method, call.path), true)
				_ = w.WriteRSTStream(2*i+3, http2.ErrCodeCancel)
			},
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := run(t, tt.handler)
					deaf := p.dial(t)
					sent := 0
					deaf.all.Go(func() {
						text := frames(func(w *client2) {
							w.request(1, w.head("POST", "/nowhere"), false)
							for i := range uint32(20000) {
								flood(w, i)
							}
						})
						sent, _ = io.WriteString(deaf, text)
					})
					time.Sleep(31 * time.Second)
					synctest.Wait()
					const most = 3000 * 30 // bytes: of more frames than are admitted
					if sent > most {
						t.Errorf("%d bytes of frames were taken from a client that takes nothing", sent)
					}
					if _, err := io.Copy(io.Discard, deaf.in); err != nil && err != io.ErrClosedPipe {
						t.Errorf("the connection is still open: %v", err)
					}
				})
			})
		}
	}
}
