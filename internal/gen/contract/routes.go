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

// details are what only the YAML files say of a route: responses in place of those with
// the same status, and members of parameters with the same name or further parameters.
type details struct {
	Deprecated bool
	Parameters []object
	Responses  object
}

// routes describes the routes of the contract as the paths of the document. The details
// are by path and method.
func routes(all map[string]map[string]details) (object, error) {
	paths := object{}
	for _, r := range protocol.Routes(protocol.ServicePlay) {
		item, ok := paths[r.Path].(object)
		if !ok {
			item = object{}
			paths[r.Path] = item
		}
		method := strings.ToLower(r.Method)
		o := operation(&r)
		o.add(all[r.Path][method])
		item[method] = object(o)
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		item, _ := paths[path].(object)
		for _, method := range slices.Sorted(maps.Keys(all[path])) {
			if item[method] == nil {
				return nil, fmt.Errorf("the details of %s %s belong to no route of the contract", method, path)
			}
		}
	}
	return paths, nil
}

// routeObject is the description of a route in the document.
type routeObject object

// add puts the details into the description.
func (o routeObject) add(d details) {
	if d.Deprecated {
		o["deprecated"] = true
	}
	maps.Copy(o["responses"].(object), d.Responses)
	list, _ := o["parameters"].([]object)
	var further []object
	for _, p := range d.Parameters {
		named := slices.IndexFunc(list, func(other object) bool { return p["name"] != nil && other["name"] == p["name"] })
		if named < 0 {
			further = append(further, p)
		} else {
			maps.Copy(list[named], p)
		}
	}
	if len(further) > 0 {
		o["parameters"] = append(further, list...)
	}
}

func operation(r *protocol.Route) routeObject {
	o := routeObject{
		"operationId": r.ID, "summary": r.Summary, "tags": []string{r.Group}, "security": security(r), "responses": responses(r),
	}
	if list := parameters(r); len(list) > 0 {
		o["parameters"] = list
	}
	description := r.Description
	if r.Extension {
		description = strings.TrimSpace("*Extension.* " + description)
	}
	if description != "" {
		o["description"] = description
	}
	if r.Request != nil {
		o["requestBody"] = object{"required": !r.OptionalBody, "content": jsonContent(inputName(reflect.TypeOf(r.Request)))}
	}
	return o
}

func jsonContent(schema string) object {
	return object{protocol.MediaTypeJSON: object{"schema": ref(schema)}}
}

// nodePair is the requirement of a node's credentials.
func nodePair() object { return object{"nodeId": []string{}, "nodePassw": []string{}} }

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
	if r.Callers&protocol.CallerWatcher != 0 {
		list = append(list, object{"watchPass": []string{}})
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
	for _, p := range r.Headers {
		p.Name = strings.ToLower(p.Name)
		list = append(list, parameter("header", p))
	}
	for _, p := range r.Query {
		list = append(list, parameter("query", p))
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

// responses describes the success of a route and its refusals. Those of the routes for
// operators and tools are details.
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
		{r.NotFound, http.StatusNotFound, "NotFound"},
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
func routesTable(groups ...string) string {
	var rows [][]string
	for _, r := range protocol.Routes(protocol.ServicePlay) {
		if !slices.Contains(groups, r.Group) {
			continue
		}
		route := code(r.Pattern())
		if r.Extension {
			route += " *(extension)*"
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
		rows = append(rows, []string{route, callers(&r), strings.Join(needs, ", "), repeats, strings.TrimSuffix(r.Summary, ".")})
	}
	return table("route | callers | needs | "+code(protocol.HeaderIdempotencyKey)+" | what it does", rows...)
}

// callers names the callers of a route in few words.
func callers(r *protocol.Route) string {
	if r.Anyone {
		return "everybody"
	}
	var list []string
	rest := r.Callers
	for _, set := range []struct {
		callers protocol.Callers
		name    string
	}{
		{protocol.CallerNodes, "every node"},
		{protocol.CallerPlayers, "an agent node or its owner"},
		{protocol.CallerMain, "a main node"},
		{protocol.CallerAgent, "an agent node"},
		{protocol.CallerSpace, "a space node"},
		{protocol.CallerAdmin, "the administrator"},
		{protocol.CallerWatcher | protocol.CallerActor, "viewers"},
		{protocol.CallerActor, "viewers that may act"},
	} {
		if rest&set.callers == set.callers {
			list = append(list, set.name)
			rest &^= set.callers
		}
	}
	return strings.Join(list, ", ")
}
