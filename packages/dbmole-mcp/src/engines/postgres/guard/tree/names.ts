/** One use of a name in a statement, decoded as the server would: quotes and escapes are gone, what was not quoted is lower case. */
export interface NameUse {
  /** As written; undefined: found by the search path. */
  readonly schema: string | undefined;
  readonly name: string;
  /** The parser's byte offset; negative: unknown. `positionOf` converts it to a position in the caller's text. */
  readonly at: number;
  /** Of operators and calls: whether one of the operands is an uncast constant or parameter. */
  readonly untyped?: boolean;
  /** Of written operators: whether it is a prefix operator. */
  readonly prefix?: boolean;
  /** Of fields: what is before the dot is a row, not a value of another kind. */
  readonly isOfRow?: boolean;
  /** Of fields: what is before the dot is a row of the type `record` where one of these functions returns such rows. */
  readonly recordsOf?: ReadonlySet<string>;
}

export interface CallUse extends NameUse {
  /** How many arguments it has. */
  readonly args: number;
  /** The count is exact; otherwise the grammar may have added arguments. */
  readonly isCounted?: boolean;
  /** Some argument is passed by the name of its parameter. */
  readonly hasNames?: boolean;
  /** The relation or schema that it reads is a constant, which is checked itself. */
  readonly isNamed: boolean;
  /** It evaluates an XPath, and all its arguments are short literals. */
  readonly isSmall?: boolean;
  /** It is written as a field, so it may not be a call. */
  readonly isField?: boolean;
  /** Of functions that run SQL: the arguments that are one plain literal, at their places. */
  readonly texts?: readonly (string | undefined)[];
  /** `set_config('app.user', …, true)`: a setting of the application, until the transaction ends. */
  readonly isOwnSetting?: boolean;
}

/** Everything in one statement that the server looks up by name and may run code of. */
export interface StatementNames {
  readonly text: string;
  /** Calls, also of table functions and sampling methods, and what may be one: `(5).f`. One with a single argument can be a cast to a type or a field of a row. */
  readonly functions: readonly CallUse[];
  readonly relations: readonly NameUse[];
  /** What a body inserts into, updates or deletes from; these are among the relations too. */
  readonly targets: readonly NameUse[];
  /** Written ones and those that the syntax implies: `=` for IN, CASE x WHEN, USING and NATURAL; `~~` for LIKE; `<=` for BETWEEN. */
  readonly operators: readonly NameUse[];
  /** Of casts and column definitions; the element type of an array. */
  readonly types: readonly NameUse[];
  /** `t.f`, `(row).f`: a column, or a call of f with the row. The schema is always undefined. */
  readonly fields: readonly NameUse[];
  /**
   * Calls of functions that read relations, make values of types or check indexes which they find at run time:
   * `schema_to_xml`, `pg_input_is_valid`, `bt_index_check`. Any of that kind may be meant.
   */
  readonly dynamic: readonly NameUse[];
  /** The first uncast text, NULL or parameter: its neighbors decide which type it gets. */
  readonly untyped: NameUse | undefined;
  /**
   * Where it uses rows of the type `record` as values, which the server converts to any composite type: the functions in FROM that may return
   * them, and the empty name for rows that need no function, such as `ROW(1)` or a subquery.
   */
  readonly records: ReadonlySet<string>;
  /** The kinds of its nodes, and `Row` where a name means a whole row. */
  readonly kinds: ReadonlySet<string>;
  /** Names of columns, and `*` where columns are read without being named. */
  readonly columns: ReadonlySet<string>;
  /** Whether a literal that decides what is read is cast to a type that the search path finds. */
  readonly castsByPath: boolean;
  /** Whether values of several types can become one of them: calls with several arguments, UNION, CASE, COALESCE, ARRAY, VALUES. */
  readonly combines: boolean;
  /** 1-based, in characters of the caller's text. */
  positionOf(use: NameUse): number | undefined;
}

/** `(5).f` is `f(5)`. */
export function asCall(use: NameUse): CallUse {
  return { ...use, args: 1, isNamed: false, isField: true };
}
