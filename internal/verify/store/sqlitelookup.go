package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// sqliteLookups runs statements on connections of their own. What a pool of database/sql does
// besides would take a third as long as to find a row.
type sqliteLookups struct {
	free  chan *lookupConn
	conns []*lookupConn
}

// mostLookups is how many statements run at once. More would wait for one another: the
// library has one lock for all their pages.
const mostLookups = 2

// startLookups opens the connections.
func startLookups(ctx context.Context, d driver.Driver, name string, texts [statementCount]string) (l *sqliteLookups, err error) {
	l = &sqliteLookups{free: make(chan *lookupConn, mostLookups)}
	for range mostLookups {
		conn, err := d.Open(name)
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		c := &lookupConn{conn: conn}
		l.conns = append(l.conns, c)
		if err := c.prepare(ctx, texts); err != nil {
			return nil, errors.Join(err, l.close())
		}
		l.free <- c
	}
	return l, nil
}

// close ends the connections, when nothing is run any more.
func (l *sqliteLookups) close() (err error) {
	for _, c := range l.conns {
		for _, s := range c.statements {
			if s != nil {
				err = errors.Join(err, s.Close())
			}
		}
		err = errors.Join(err, c.conn.Close())
	}
	return err
}

// run runs a statement, as soon as a connection is free. That for one claim is not interrupted
// once it runs: it ends soon by itself, and to watch a context takes as long as the statement.
func (l *sqliteLookups) run(ctx context.Context, s statement, parameter string, read func(rows) error) error {
	growStack(parameter)
	select {
	case c := <-l.free:
		defer func() { l.free <- c }()
		return c.run(ctx, s, parameter, read)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// growStack lets the stack of a goroutine grow as far as SQLite needs it, while there is little on
// it. Else it would grow several times in the midst of a statement, and be copied each time.
//
//go:noinline
func growStack(parameter string) byte {
	var space [16 << 10]byte
	return space[len(parameter)%len(space)] // so that it is needed
}

// lookupConn is a connection.
type lookupConn struct {
	conn       driver.Conn
	statements [statementCount]driver.Stmt
}

func (c *lookupConn) prepare(ctx context.Context, texts [statementCount]string) (err error) {
	p, ok := c.conn.(driver.ConnPrepareContext)
	if !ok {
		return fmt.Errorf("the driver of SQLite cannot prepare on a %T", c.conn)
	}
	for i, text := range texts {
		if c.statements[i], err = p.PrepareContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

func (c *lookupConn) run(ctx context.Context, s statement, parameter string, read func(rows) error) error {
	if s == claimStatement || s == stateStatement {
		ctx = context.WithoutCancel(ctx)
	}
	var args []driver.NamedValue
	if s != stateStatement {
		args = []driver.NamedValue{{Ordinal: 1, Value: parameter}}
	}
	found, err := c.statements[s].(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return err
	}
	defer found.Close()
	return read(&sqliteRows{ctx: ctx, rows: found, cells: make([]driver.Value, len(found.Columns()))})
}

// sqliteRows are the rows of a statement.
type sqliteRows struct {
	ctx   context.Context
	rows  driver.Rows
	cells []driver.Value
	err   error
}

// Next implements rows.
func (r *sqliteRows) Next() bool {
	if r.err = r.ctx.Err(); r.err == nil {
		r.err = r.rows.Next(r.cells)
	}
	return r.err == nil
}

// Scan implements rows.
func (r *sqliteRows) Scan(columns ...any) error {
	for i, into := range columns {
		switch into := into.(type) {
		case *int:
			n, ok := r.cells[i].(int64)
			if !ok {
				return errDamaged
			}
			*into = int(n)
		case *string:
			text, ok := r.cells[i].(string)
			if !ok {
				return errDamaged
			}
			*into = text
		}
	}
	return nil
}

// Err implements rows.
func (r *sqliteRows) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}
