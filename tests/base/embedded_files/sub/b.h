quote " backslash \ question ?? tab	here
