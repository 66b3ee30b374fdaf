package snippet

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// function returns the lines of a Go function, or of a method "T.Close", with the
// comment that documents it.
func function(file string, src []byte, lines []string, f lesson.Fence) ([]string, problem.List) {
	var ps problem.List
	if path.Ext(file) != ".go" {
		ps.AddHint(f.Pos, "from", "mark a region, [name] to [/name] in comments, and write region=name",
			"func=%s needs a Go file", f.Func)
		return nil, ps
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, syntax(file, err)
	}
	var names []string
	for _, decl := range parsed.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := nameOf(fn)
		if name != f.Func {
			names = append(names, name)
			continue
		}
		from := fn.Pos()
		if fn.Doc != nil {
			from = fn.Doc.Pos()
		}
		// PositionFor without line directives: the lines of this very file.
		return lines[fset.PositionFor(from, false).Line-1 : fset.PositionFor(fn.End(), false).Line], nil
	}
	ps.AddHint(f.Pos, "from", near(f.Func, names), "no function %q in %s", f.Func, file)
	return nil, ps
}

// nameOf writes a function's name as lessons do: "sweep", "T.Close".
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.ParenExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}

// syntax is the first thing that is wrong with a Go file.
func syntax(file string, err error) (ps problem.List) {
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		ps.Add(place(file, 1), "from", "%v", err)
		return ps
	}
	first := list[0]
	ps.Add(problem.Pos{File: file, Line: first.Pos.Line, Col: first.Pos.Column}, "from", "%s", first.Msg)
	return ps
}
