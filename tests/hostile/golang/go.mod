module hostile

go 1.14
