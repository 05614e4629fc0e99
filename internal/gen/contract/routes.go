package main

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// nodePair is the security requirement of a node's credentials.
func nodePair() object { return object{"nodeId": []string{}, "nodePassw": []string{}} }

// routes describes the routes of the contract as the paths of the document. Details
// that only the document has are in special, by path and method: parameters in place of
// the usual ones, responses in place of those of the same status, and further members.
func routes(special object) (object, error) {
	paths := object{}
	for _, r := range protocol.Routes(protocol.ServicePlay) {
		item, there := paths[r.Path].(object)
		if !there {
			item = object{}
			paths[r.Path] = item
		}
		method := strings.ToLower(r.Method)
		o := operation(&r)
		if methods, ok := special[r.Path].(object); ok {
			if details, ok := methods[method].(object); ok {
				specialize(o, details)
				delete(methods, method)
			}
		}
		item[method] = o
	}
	for path, methods := range special {
		for method := range methods.(object) {
			return nil, fmt.Errorf("the details of %s %s belong to no route of the contract", method, path)
		}
	}
	return paths, nil
}

func specialize(operation, details object) {
	for key, value := range details {
		if key != "responses" {
			operation[key] = value
			continue
		}
		maps.Copy(operation[key].(object), value.(object))
	}
}

func operation(r *protocol.Route) object {
	o := object{
		"operationId": r.ID, "summary": r.Summary, "tags": []string{r.Group}, "security": security(r), "responses": responses(r),
	}
	if r.Description != "" {
		o["description"] = r.Description
	}
	if list := parameters(r); len(list) > 0 {
		o["parameters"] = list
	}
	if r.Request != nil {
		o["requestBody"] = object{"required": !r.Optional, "content": jsonContent(inputName(reflect.TypeOf(r.Request)))}
	}
	return o
}

func jsonContent(schema string) object {
	return object{protocol.MediaTypeJSON: object{"schema": ref(schema)}}
}

// security lists the ways to authenticate at a route.
func security(r *protocol.Route) []object {
	var list []object
	if r.Anyone {
		list = append(list, object{})
	}
	if r.Callers&protocol.CallerNodes != 0 {
		if r.APIKey {
			keyed := nodePair()
			keyed["apiKey"] = []string{}
			list = append(list, keyed)
		}
		list = append(list, nodePair())
	}
	if r.Callers&protocol.CallerAdmin != 0 {
		list = append(list, object{"adminToken": []string{}})
	}
	if r.Callers&(protocol.CallerWatcher|protocol.CallerActor) != 0 {
		list = append(list, object{"watchCookie": []string{}})
	}
	return list
}

func parameters(r *protocol.Route) []object {
	var list []object
	for _, p := range []struct {
		applies bool
		name    string
	}{{r.SID, "Sid"}, {!r.WithoutRev, "MinRev"}, {r.Repeatable, "IdempotencyKey"}} {
		if p.applies {
			list = append(list, object{"$ref": "#/components/parameters/" + p.name})
		}
	}
	headers := map[string]bool{}
	for _, p := range r.Headers {
		headers[strings.ReplaceAll(p.Name, "-", "")] = true
		list = append(list, parameter("header", p))
	}
	for _, p := range r.Query {
		o := parameter("query", p)
		// Generators of Go clients give both the same name otherwise.
		if headers[strings.ToLower(p.Name)] {
			o["x-go-name"] = strings.ToUpper(p.Name[:1]) + strings.TrimSuffix(p.Name[1:], "Id") + "IDOfQuery"
		}
		list = append(list, o)
	}
	return list
}

func parameter(in string, p protocol.Parameter) object {
	o := object{"name": p.Name, "in": in, "description": p.Summary, "schema": object{"type": "string"}}
	if p.Required {
		o["required"], o["schema"] = true, object{"type": "string", "minLength": 1}
	}
	return o
}

// responses describes the success of a route and its refusals. Those of health, metrics
// and the document itself are special.
func responses(r *protocol.Route) object {
	all := object{}
	if r.Group == protocol.GroupUpkeep {
		return all
	}
	if r.Result != "" {
		headers := object{"X-Request-Id": header("RequestId"), "Cache-Control": header("NoStore")}
		if !r.WithoutRev {
			headers["X-Play-Rev"] = header("Rev")
		}
		success := object{"description": r.Result, "headers": headers}
		if r.Reply != nil {
			success["content"] = jsonContent(schemaName(typeName(reflect.TypeOf(r.Reply))))
		}
		all["200"] = success
	}
	body := r.Request != nil
	for _, refusal := range []struct {
		applies bool
		status  int
		name    string
	}{
		{body || !r.WithoutRev, http.StatusBadRequest, "BadRequest"},
		{r.Callers != 0, http.StatusUnauthorized, "Unauthorized"},
		{true, http.StatusForbidden, "Forbidden"},
		{r.MayMiss, http.StatusNotFound, "NotFound"},
		{r.Repeatable, http.StatusConflict, "Conflict"},
		{body, http.StatusRequestEntityTooLarge, "BodyTooLarge"},
		{body, http.StatusUnsupportedMediaType, "MediaType"},
		{!r.Stream, http.StatusTooManyRequests, "RateLimited"},
		{true, http.StatusInternalServerError, "Internal"},
		{r.Callers != 0 && !r.Stream, http.StatusServiceUnavailable, "Unavailable"},
	} {
		if refusal.applies {
			all[strconv.Itoa(refusal.status)] = object{"$ref": "#/components/responses/" + refusal.name}
		}
	}
	return all
}

func header(name string) object { return object{"$ref": "#/components/headers/" + name} }

// routesTable lists the routes of some groups for the protocol page.
func routesTable(routes []protocol.Route, groups ...string) string {
	var rows [][]string
	for _, r := range routes {
		if !slices.Contains(groups, r.Group) {
			continue
		}
		var needs []string
		if r.SID {
			needs = append(needs, code(protocol.QuerySID))
		}
		if r.APIKey {
			needs = append(needs, code(protocol.HeaderAPIKey))
		}
		repeats := ""
		if r.Repeatable {
			repeats = "yes"
		}
		rows = append(rows, []string{code(r.Pattern()), callers(&r), strings.Join(needs, ", "), repeats, strings.TrimSuffix(r.Summary, ".")})
	}
	return table("route | callers | needs | "+code(protocol.HeaderIdempotencyKey)+" | what it does", rows...)
}

// callers names the callers of a route in few words.
func callers(r *protocol.Route) string {
	var list []string
	rest := r.Callers
	for _, set := range []struct {
		callers protocol.Callers
		name    string
	}{
		{protocol.CallerNodes, "every node"},
		{protocol.CallerPlayers, "an agent node or its owner"},
		{protocol.CallerMain, "a main node"},
		{protocol.CallerAdmin, "the administrator"},
		{protocol.CallerWatcher | protocol.CallerActor, "viewers"},
		{protocol.CallerActor, "viewers that may act"},
	} {
		if rest&set.callers == set.callers {
			list = append(list, set.name)
			rest &^= set.callers
		}
	}
	if r.Anyone {
		list = []string{"everybody"}
	}
	return strings.Join(list, ", ")
}
