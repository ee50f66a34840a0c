/**
 * The kinds of nodes that a read may be made of, by the parser's names. Whatever is not here refuses the statement, also what a
 * later version of the parser brings.
 */

/** Nothing in them has to be looked at. */
export const leaves: ReadonlySet<string> = new Set([
  ...['A_Star', 'Alias', 'BitString', 'Boolean', 'CTESearchClause', 'Float', 'Integer', 'JsonFormat', 'JsonReturning'],
  ...['SQLValueFunction', 'SetToDefault', 'String'],
]);

/** They are looked at, and have nothing in them. */
export const values: ReadonlySet<string> = new Set(['A_Const', 'ParamRef']);

export const branches: ReadonlySet<string> = new Set([
  ...['A_ArrayExpr', 'A_Expr', 'A_Indices', 'A_Indirection', 'BoolExpr', 'BooleanTest', 'CTECycleClause', 'CaseExpr'],
  ...['CaseWhen', 'CoalesceExpr', 'CollateClause', 'ColumnDef', 'ColumnRef', 'CommonTableExpr', 'DefElem', 'ExplainStmt'],
  ...['FuncCall', 'GroupingFunc', 'GroupingSet', 'JoinExpr', 'JsonAggConstructor', 'JsonArgument', 'JsonArrayAgg'],
  ...['JsonArrayConstructor', 'JsonArrayQueryConstructor', 'JsonBehavior', 'JsonFuncExpr', 'JsonIsPredicate', 'JsonKeyValue'],
  ...['JsonObjectAgg', 'JsonObjectConstructor', 'JsonOutput', 'JsonParseExpr', 'JsonScalarExpr', 'JsonSerializeExpr'],
  ...['JsonTable', 'JsonTableColumn', 'JsonTablePathSpec', 'JsonValueExpr', 'List', 'MinMaxExpr', 'NamedArgExpr', 'NullTest'],
  ...['RangeFunction', 'RangeSubselect', 'RangeTableFunc', 'RangeTableFuncCol', 'RangeTableSample', 'RangeVar', 'ResTarget'],
  ...['RowExpr', 'SelectStmt', 'SortBy', 'SubLink', 'TypeCast', 'TypeName', 'VariableShowStmt', 'WindowDef', 'XmlExpr'],
  ...['XmlSerialize'],
]);

/** What else the statements of a function's body may be made of: the server itself stops what writes in a read-only transaction. */
export const bodyBranches: ReadonlySet<string> = new Set([
  ...['CallStmt', 'CurrentOfExpr', 'DeleteStmt', 'IndexElem', 'InferClause', 'InsertStmt', 'LockingClause', 'MergeStmt'],
  ...['MergeSupportFunc', 'MergeWhenClause', 'MultiAssignRef', 'OnConflictClause', 'ReturningClause', 'ReturningOption'],
  ...['ReturnStmt', 'UpdateStmt'],
]);

/**
 * Fields whose node is written without its kind, because there is only one that it can be. `SelectStmt.intoClause` is such a
 * field as well, and left out; every `withClause` is read separately.
 */
const fieldsByKind: Readonly<Record<string, readonly string[]>> = {
  Alias: [
    ...['RangeVar.alias', 'RangeSubselect.alias', 'RangeFunction.alias', 'RangeTableFunc.alias', 'JoinExpr.alias'],
    ...['JoinExpr.join_using_alias', 'JsonTable.alias'],
  ],
  CTECycleClause: ['CommonTableExpr.cycle_clause'],
  CTESearchClause: ['CommonTableExpr.search_clause'],
  CollateClause: ['ColumnDef.collClause'],
  FuncCall: ['CallStmt.funccall'],
  InferClause: ['OnConflictClause.infer'],
  JsonAggConstructor: ['JsonArrayAgg.constructor', 'JsonObjectAgg.constructor'],
  JsonBehavior: [
    ...['JsonFuncExpr.on_empty', 'JsonFuncExpr.on_error', 'JsonTable.on_error', 'JsonTableColumn.on_empty'],
    ...['JsonTableColumn.on_error'],
  ],
  JsonFormat: [
    ...['JsonValueExpr.format', 'JsonIsPredicate.format', 'JsonTableColumn.format', 'JsonArrayQueryConstructor.format'],
  ],
  JsonKeyValue: ['JsonObjectAgg.arg'],
  JsonOutput: [
    ...['JsonFuncExpr.output', 'JsonParseExpr.output', 'JsonScalarExpr.output', 'JsonSerializeExpr.output'],
    ...['JsonObjectConstructor.output', 'JsonArrayConstructor.output', 'JsonArrayQueryConstructor.output'],
    ...['JsonAggConstructor.output'],
  ],
  JsonReturning: ['JsonOutput.returning'],
  JsonTablePathSpec: ['JsonTable.pathspec', 'JsonTableColumn.pathspec'],
  JsonValueExpr: [
    ...['JsonFuncExpr.context_item', 'JsonTable.context_item', 'JsonArgument.val', 'JsonKeyValue.value'],
    ...['JsonParseExpr.expr', 'JsonSerializeExpr.expr', 'JsonArrayAgg.arg'],
  ],
  OnConflictClause: ['InsertStmt.onConflictClause'],
  RangeVar: ['DeleteStmt.relation', 'InsertStmt.relation', 'MergeStmt.relation', 'UpdateStmt.relation'],
  ReturningClause: [
    ...['DeleteStmt.returningClause', 'InsertStmt.returningClause', 'MergeStmt.returningClause'],
    ...['UpdateStmt.returningClause'],
  ],
  SelectStmt: ['SelectStmt.larg', 'SelectStmt.rarg'],
  TypeName: [
    ...['TypeCast.typeName', 'ColumnDef.typeName', 'RangeTableFuncCol.typeName', 'XmlSerialize.typeName'],
    ...['JsonOutput.typeName', 'JsonTableColumn.typeName'],
  ],
  WindowDef: ['FuncCall.over', 'JsonAggConstructor.over'],
};

export const fieldKinds: ReadonlyMap<string, string> = new Map(
  Object.entries(fieldsByKind).flatMap(([kind, fields]) => fields.map((field) => [field, kind] as const)),
);
