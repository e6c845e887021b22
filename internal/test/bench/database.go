package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/payctl/payctl/internal/test/pgtest"
)

// databaseConnections is how many connections to the database a service has, and the plain handler that it is compared
// with.
const databaseConnections = 8

// getKYCStatus reads the status of an approved account.
var getKYCStatus = operation{
	method: "GET", path: "/accounts/{account}/kyc/v1", status: 200, connections: 32, lead: roundTime / 5,
}

// measureDatabase loads services that keep everything in a PostgreSQL on this machine, and what they are compared with.
func measureDatabase(ctx context.Context, p *programs) ([]row, error) {
	db, err := pgtest.Run()
	if errors.Is(err, pgtest.ErrMissing) {
		p.notes = append(p.notes, "The rows of PostgreSQL are missing, because it is not installed.")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer db.Remove()
	var rows []row
	for _, measure := range []func(context.Context, *programs, *pgtest.Server) ([]row, error){
		compareWithData, compareWithStatements, compareReads, compareTwoServers,
	} {
		more, err := measure(ctx, p, db)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// inDatabase are the flags of a service that keeps its data in a schema.
func inDatabase(db *pgtest.Server, schema string) []string {
	return []string{
		"--database", db.URL() + "&pool_max_conns=" + strconv.Itoa(databaseConnections), "--schema", schema,
	}
}

// compareWithData compares creates with those of a service that keeps everything in a folder.
func compareWithData(ctx context.Context, p *programs, db *pgtest.Server) ([]row, error) {
	create := createAutoTransfer
	onDisk := []string{"--data", filepath.Join(p.dir, "beside-database")}
	measured, err := create.onTwoServices(ctx, p, inDatabase(db, "creates"), onDisk)
	if err != nil {
		return nil, fmt.Errorf("creates in PostgreSQL: %w", err)
	}
	return []row{measured[0].against(create.String()+": --database / --data", measured[1]).atLeast(0.8)}, nil
}

// compareWithStatements compares creates with those of a plain handler. No transfer settles, as none does there.
func compareWithStatements(ctx context.Context, p *programs, db *pgtest.Server) ([]row, error) {
	create := createAutoTransfer
	service, inPostgres, c, body, err := create.onService(ctx, p, append(inDatabase(db, "unsettled"), "--deposits", "manual")...)
	if err != nil {
		return nil, err
	}
	defer service.stop()
	response, err := c.call(ctx, create.method, create.path, body)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(response)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(p.dir, "created.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	const schema = "statements"
	tables, err := p.startService(ctx, inDatabase(db, schema)...) // which creates them
	if err != nil {
		return nil, err
	}
	tables.stop()
	peer, err := start(ctx, p.statements, db.URL(), schema, strconv.Itoa(databaseConnections), file)
	if err != nil {
		return nil, err
	}
	defer peer.stop()
	measured, err := loadInTurn(ctx, create.lead, inPostgres, create.load(peer, c.token, 200, body))
	if err != nil {
		return nil, fmt.Errorf("creates in PostgreSQL that do not settle: %w", err)
	}
	return []row{measured[0].against(create.String()+
		", none settles: --database / plain handler, one transaction a request", measured[1]).atLeast(1)}, nil
}

// compareReads compares reads of a KYC status with those of a service in memory.
func compareReads(ctx context.Context, p *programs, db *pgtest.Server) ([]row, error) {
	measured, err := getKYCStatus.onTwoServices(ctx, p, inDatabase(db, "reads"), nil)
	if err != nil {
		return nil, fmt.Errorf("reads in PostgreSQL: %w", err)
	}
	return []row{measured[0].against(getKYCStatus.String()+": --database / in memory", measured[1]).atLeast(0.5)}, nil
}

// compareTwoServers compares the creates of two services with one database with those of one of them: all connections
// have one world, or each has its own.
func compareTwoServers(ctx context.Context, p *programs, db *pgtest.Server) ([]row, error) {
	var rows []row
	for _, with := range []struct {
		worlds int
		limit  float64
		what   string
	}{{1, 0.9, "one world"}, {createAutoTransfer.connections, 1, "a world for each connection"}} {
		create := createAutoTransfer
		flags := append(inDatabase(db, fmt.Sprint("worlds", with.worlds)), "--kyc-delay", "0s")
		first, err := p.startService(ctx, flags...)
		if err != nil {
			return nil, err
		}
		defer first.stop()
		second, err := p.startService(ctx, flags...)
		if err != nil {
			return nil, err
		}
		defer second.stop()
		one := load{connections: create.connections, status: create.status}
		for i := range with.worlds {
			c, err := loginAs(ctx, first, fmt.Sprint("client-", i))
			if err != nil {
				return nil, err
			}
			own, _, err := create.prepare(ctx, first, c)
			if err != nil {
				return nil, err
			}
			one.targets = append(one.targets, own.targets...)
		}
		two := one
		two.targets = slices.Concat(one.targets, one.targets)[:max(2, with.worlds)]
		for i := range two.targets {
			if i%2 == 1 {
				two.targets[i].server = second
			}
		}
		measured, err := loadInTurn(ctx, create.lead, two, one)
		if err != nil {
			return nil, fmt.Errorf("creates at two servers: %w", err)
		}
		rows = append(rows, measured[0].against(create.String()+", "+with.what+", --database: two servers / one of them",
			measured[1]).atLeast(with.limit))
		first.stop()
		second.stop()
	}
	return rows, nil
}
