package command

import (
	"context"

	"github.com/playctl/playctl/internal/render"
)

// filter is what --jq or --template makes of the JSON of a result; nil for neither.
func (a *App) filter(ctx context.Context) (render.Filter, error) {
	var filter render.Filter
	var err error
	switch expression, layout := a.Settings.jq, a.Settings.template; {
	case expression != "" && layout != "":
		return nil, Usagef("--jq and --template both say what is printed of a result: use one of them")
	case expression != "":
		filter, err = render.JQ(ctx, expression)
	case layout != "":
		filter, err = render.Template(layout)
	}
	if err != nil {
		return nil, Usagef("%w", err)
	}
	return filter, nil
}
