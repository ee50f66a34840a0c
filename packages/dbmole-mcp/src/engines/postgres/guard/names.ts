/** One use of a name in a statement, decoded as the server would: quotes and escapes are gone, what was not quoted is lower case. */
export interface NameUse {
  /** As written; undefined: found by the search path. */
  readonly schema: string | undefined;
  readonly name: string;
  /** Where the parser saw it; negative: it did not say. `positionOf` makes it a place in the caller's text. */
  readonly at: number;
  /** Of operators and calls: whether one of the operands is a constant or parameter that nobody cast. */
  readonly untyped?: boolean;
  /** Of operators that are written: whether there is nothing before it. */
  readonly prefix?: boolean;
  /** Of fields: the functions whose value can be before the dot, '' for one without a name; empty: it is a row; undefined: anything can. */
  readonly values?: readonly string[];
}

export interface CallUse extends NameUse {
  /** How many arguments it has. */
  readonly args: number;
  /** No more and no less; otherwise the grammar may have added some. */
  readonly isCounted?: boolean;
  /** What it is told to read is a constant, and was looked at. */
  readonly isNamed: boolean;
  /** It evaluates an XPath, and has nothing but short literals. */
  readonly isSmall?: boolean;
  /** It is written as a field, and is perhaps no call. */
  readonly isField?: boolean;
  /** Of functions that run SQL: the arguments that are one plain literal, at their places. */
  readonly texts?: readonly (string | undefined)[];
  /** `set_config('app.user', …, true)`: a setting of the application, until the transaction ends. */
  readonly isOwnSetting?: boolean;
}

/** Everything in one statement that the server looks up by name and may run code of. */
export interface StatementNames {
  /** Calls, also of table functions and sampling methods, and what may be one: `(5).f`. One with a single argument can be a cast to a type or a field of a row. */
  readonly functions: readonly CallUse[];
  readonly relations: readonly NameUse[];
  /** What a body inserts into, updates or deletes from; these are among the relations too. */
  readonly targets: readonly NameUse[];
  /** Written ones and those the syntax stands for: `=` for IN, CASE x WHEN, USING and NATURAL; `~~` for LIKE; `<=` for BETWEEN. */
  readonly operators: readonly NameUse[];
  /** Of casts and column definitions; the element type of an array. */
  readonly types: readonly NameUse[];
  /** `t.f`, `(row).f`: a column, or a call of f with the row. The schema is always undefined. */
  readonly fields: readonly NameUse[];
  /**
   * Calls of functions that read relations, make values of types or check indexes which they find at run time:
   * `schema_to_xml`, `pg_input_is_valid`, `bt_index_check`. Any of them may be meant.
   */
  readonly dynamic: readonly NameUse[];
  /** The first text, NULL or parameter that nobody cast: what type it becomes is up to what stands beside it. */
  readonly untyped: NameUse | undefined;
  /** Whether columns are put together to something whose type has them in it: a whole row, ARRAY. */
  readonly gathers: boolean;
  readonly hasConstants: boolean;
  /** Whether values of several types can become one of them: UNION, CASE, COALESCE, GREATEST, ARRAY and VALUES of several. */
  readonly combines: boolean;
  /** 1-based, in characters of the caller's text. */
  positionOf(use: NameUse): number | undefined;
}

/** `(5).f` is `f(5)`. */
export function asCall(use: NameUse): CallUse {
  return { ...use, args: 1, isNamed: false, isField: true };
}
