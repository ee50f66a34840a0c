/**
 * The kinds of nodes that a read may have, by the parser's names. Any other kind refuses the statement, including kinds that a later
 * version of the parser adds.
 */
const listKinds = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Kinds that need no check. */
export const leaves = listKinds(
  `A_Star Alias BitString Boolean CTESearchClause Float Integer JsonFormat JsonReturning SQLValueFunction SetToDefault String`,
);

/** Kinds that are visited and have no children. */
export const values = listKinds('A_Const ParamRef');

export const branches = listKinds(
  `A_ArrayExpr A_Expr A_Indices A_Indirection BoolExpr BooleanTest CTECycleClause CaseExpr CaseWhen CoalesceExpr CollateClause
  ColumnDef ColumnRef CommonTableExpr DefElem ExplainStmt FuncCall GroupingFunc GroupingSet JoinExpr JsonAggConstructor JsonArgument
  JsonArrayAgg JsonArrayConstructor JsonArrayQueryConstructor JsonBehavior JsonFuncExpr JsonIsPredicate JsonKeyValue JsonObjectAgg
  JsonObjectConstructor JsonOutput JsonParseExpr JsonScalarExpr JsonSerializeExpr JsonTable JsonTableColumn JsonTablePathSpec
  JsonValueExpr List MinMaxExpr NamedArgExpr NullTest RangeFunction RangeSubselect RangeTableFunc RangeTableFuncCol RangeTableSample
  RangeVar ResTarget RowExpr SelectStmt SortBy SubLink TypeCast TypeName VariableShowStmt WindowDef XmlExpr XmlSerialize`,
);

/** Further kinds that a function's body may have: the server stops the writes in a read-only transaction. */
export const bodyBranches = listKinds(
  `CallStmt CurrentOfExpr DeleteStmt IndexElem InferClause InsertStmt LockingClause MergeStmt MergeSupportFunc MergeWhenClause
  MultiAssignRef OnConflictClause ReturningClause ReturningOption ReturnStmt UpdateStmt`,
);

/**
 * Fields whose node is written without its kind, because there is only one that it can be. `SelectStmt.intoClause` is such a
 * field as well, and left out; every `withClause` is read separately.
 */
const fieldsByKind = `
Alias: RangeVar.alias RangeSubselect.alias RangeFunction.alias RangeTableFunc.alias JoinExpr.alias JoinExpr.join_using_alias
  JsonTable.alias
CTECycleClause: CommonTableExpr.cycle_clause
CTESearchClause: CommonTableExpr.search_clause
CollateClause: ColumnDef.collClause
FuncCall: CallStmt.funccall
InferClause: OnConflictClause.infer
JsonAggConstructor: JsonArrayAgg.constructor JsonObjectAgg.constructor
JsonBehavior: JsonFuncExpr.on_empty JsonFuncExpr.on_error JsonTable.on_error JsonTableColumn.on_empty JsonTableColumn.on_error
JsonFormat: JsonValueExpr.format JsonIsPredicate.format JsonTableColumn.format JsonArrayQueryConstructor.format
JsonKeyValue: JsonObjectAgg.arg
JsonOutput: JsonFuncExpr.output JsonParseExpr.output JsonScalarExpr.output JsonSerializeExpr.output JsonObjectConstructor.output
  JsonArrayConstructor.output JsonArrayQueryConstructor.output JsonAggConstructor.output
JsonReturning: JsonOutput.returning
JsonTablePathSpec: JsonTable.pathspec JsonTableColumn.pathspec
JsonValueExpr: JsonFuncExpr.context_item JsonTable.context_item JsonArgument.val JsonKeyValue.value JsonParseExpr.expr
  JsonSerializeExpr.expr JsonArrayAgg.arg
OnConflictClause: InsertStmt.onConflictClause
RangeVar: DeleteStmt.relation InsertStmt.relation MergeStmt.relation UpdateStmt.relation
ReturningClause: DeleteStmt.returningClause InsertStmt.returningClause MergeStmt.returningClause UpdateStmt.returningClause
SelectStmt: SelectStmt.larg SelectStmt.rarg
TypeName: TypeCast.typeName ColumnDef.typeName RangeTableFuncCol.typeName XmlSerialize.typeName JsonOutput.typeName
  JsonTableColumn.typeName
WindowDef: FuncCall.over JsonAggConstructor.over`;

export const fieldKinds: ReadonlyMap<string, string> = new Map(
  fieldsByKind
    .trim()
    .split(/\n(?! )/)
    .flatMap((line) => {
      const [kind = '', fields = ''] = line.split(': ');
      return fields.split(/\s+/).map((field) => [field, kind] as const);
    }),
);

/** The operators of BETWEEN; the name that the parser gives is the word itself. */
export const ranges: ReadonlyMap<string, readonly string[]> = new Map([
  ['AEXPR_BETWEEN', ['>=', '<=']],
  ['AEXPR_BETWEEN_SYM', ['>=', '<=']],
  ['AEXPR_NOT_BETWEEN', ['<', '>']],
  ['AEXPR_NOT_BETWEEN_SYM', ['<', '>']],
]);

const names = ['agg', 'agg_strict'].flatMap((name) => [`json_${name}`, `jsonb_${name}`]);
const pairs = ['', '_strict', '_unique', '_unique_strict'].flatMap((rest) => [
  `json_object_agg${rest}`,
  `jsonb_object_agg${rest}`,
]);

/** The aggregates of the server that words of the grammar stand for. */
export const jsonAggregates: ReadonlyMap<string, readonly string[]> = new Map([
  ['JsonArrayAgg', names],
  ['JsonArrayQueryConstructor', names],
  ['JsonObjectAgg', pairs],
]);

/** Keywords since version 15 to 17; an older server reads them as calls of functions with that name. */
export const words: ReadonlyMap<string, string> = new Map(
  `MergeSupportFunc merge_action;JSON_EXISTS_OP json_exists;JSON_QUERY_OP json_query;JSON_VALUE_OP json_value;JsonTable json_table
  JsonScalarExpr json_scalar;JsonSerializeExpr json_serialize;JsonParseExpr json;JsonObjectConstructor json_object
  JsonArrayConstructor json_array;JsonArrayQueryConstructor json_array;JsonObjectAgg json_objectagg;JsonArrayAgg json_arrayagg`
    .split(/;|\n\s+/)
    .map((pair) => [pair.slice(0, pair.indexOf(' ')), pair.slice(pair.indexOf(' ') + 1)]),
);
