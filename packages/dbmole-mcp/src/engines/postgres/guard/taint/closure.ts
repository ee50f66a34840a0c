import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { denialOfFunction } from '../denials.ts';
import { asked } from './asking.ts';
import { type Body, openTexts } from './bodies.ts';
import { formatDependents, providers as providersSql } from './dependents-sql.ts';
import { catalogs, firstUserOid, formatFound } from './describe-sql.ts';
import { finders, runners } from './dynamic.ts';
import { findUse, type Providers } from './match.ts';
import { createNode, type Found, isUserType, keyOf, parseFound, type TaintNode } from './node.ts';
import type { BodyReader } from './reading.ts';
import { noRows } from './rows.ts';
import { isUnwritten } from './spellings.ts';

/** Why a body is no read by itself, whatever else there is in this database; undefined: it may be one. */
export type Judge = (body: Body) => string | undefined;

export interface ClosureOptions {
  readonly run: CatalogQuestion;
  readonly major: number;
  readonly bodies: readonly Body[];
  readonly judge: Judge;
  readonly reader: BodyReader;
}

/** An object that was found here, and that the server has to describe. */
interface Wanted {
  readonly class: string;
  readonly oid: string;
  /** What it leads to; undefined: it is a body that was judged. */
  readonly via: TaintNode | undefined;
  readonly how: string;
}

const describing = formatFound(`
  with found (class, oid, via_class, via, how, detail) as (
    select * from rows from (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.oid[]),
      pg_catalog.unnest($3::pg_catalog.oid[]), pg_catalog.unnest($4::pg_catalog.oid[]), pg_catalog.unnest($5::text[]),
      pg_catalog.unnest($6::text[])) x
  )`);

/** Everything that leads to what must not be run, found step by step: who depends on it, whose text names it, and so on. */
export class Closure {
  readonly nodes = new Map<string, TaintNode>();
  readonly providers = new Map<string, Providers>();
  /** What runs SQL that it is given, or finds what it reads: it leads to nothing by itself. */
  readonly #runners = new Map<string, TaintNode>();
  /** Functions and relations that a statement is refused for by its text; most are the server's own. */
  readonly #builtins = new Map<string, TaintNode>();
  /** What has no text that we read, and calls what finds things. */
  readonly #finding: Found[] = [];
  /** Of bodies that were judged. */
  readonly #reasons = new Map<string, string>();
  /** Every search path that is set in this database. */
  readonly #paths: string;
  readonly #run: CatalogQuestion;
  readonly #major: number;
  readonly #bodies: Body[];
  readonly #judge: Judge;
  readonly #reader: BodyReader;

  constructor({ run, major, bodies, judge, reader }: ClosureOptions) {
    this.#run = run;
    this.#major = major;
    this.#bodies = [...bodies];
    this.#paths = bodies.map(pathOf).join('\n');
    this.#judge = judge;
    this.#reader = reader;
  }

  /** `reasonOf` says what a seed does; undefined: it is none. */
  async addSeeds(seeds: readonly Found[], reasonOf: (found: Found) => string | undefined): Promise<void> {
    const roots = seeds.filter(({ via }) => via === '0');
    const fresh = roots.flatMap((found) => {
      const reason = reasonOf(found);
      return reason === undefined ? [] : this.#addSeed(found, reason);
    });
    fresh.push(...(await this.#accept(seeds.filter(({ via }) => via !== '0'))));
    await this.#spread(fresh, this.#judge);
  }

  /** Looks at all bodies once more, that nothing was found against. */
  async addBodies(judge: Judge): Promise<void> {
    await this.#spread([], judge);
  }

  /** Counts what finds things at run time as if it found what must not be found. */
  async addFinding(reason: string): Promise<void> {
    const fresh = this.#finding.flatMap((found) => this.#add(found, { reason, via: undefined }));
    await this.#spread(fresh, this.#judge);
  }

  #addSeed(found: Found, reason: string): TaintNode[] {
    const key = keyOf(found.class, found.oid);
    const node = createNode(found, { reason, via: undefined });
    const isRunner = runners.has(node.name) || finders.has(node.name);
    if (found.how === 'named' && found.class === catalogs.function && isRunner) this.#runners.set(key, node);
    else if (Number(found.oid) >= firstUserOid && !isJudgedByText(found, node))
      return this.#add(found, { reason, via: undefined });
    else this.#builtins.set(key, node);
    // The server's own were looked for in everything that there is.
    return Number(found.oid) < firstUserOid ? [] : [node];
  }

  #add(found: Found, cause: { reason: string | undefined; via: TaintNode | undefined }): TaintNode[] {
    const key = keyOf(found.class, found.oid);
    const node = createNode(found, cause);
    const known = this.nodes.get(key);
    // The first way it was found is the shortest; but values of a type may turn out to be enough.
    if (known !== undefined && (known.implicit || !node.implicit)) return [];
    this.nodes.set(key, node);
    return [node];
  }

  async #spread(first: readonly TaintNode[], judge: Judge): Promise<void> {
    let fresh = first;
    for (let round = 0; round === 0 || fresh.length > 0; round++) {
      await this.#loadProviders(fresh);
      const named = this.#findBodies(fresh);
      const judged = round === 0 ? this.#judgeBodies(judge, new Set(named.map(keyOfWanted))) : [];
      const rows = [...(await this.#describe([...named, ...judged, ...castsOf(fresh)])), ...(await this.#dependents(fresh))];
      fresh = await this.#accept(rows);
    }
  }

  async #accept(rows: readonly Found[]): Promise<TaintNode[]> {
    const texts = rows.filter((found) => this.#isText(found));
    const fresh = rows.flatMap((found) => (texts.includes(found) ? [] : this.#acceptOne(found)));
    if (!(await this.#loadTexts(texts))) return fresh;
    // A text that was just loaded may name what was found before.
    await this.#loadProviders([...this.nodes.values()]);
    const named = this.#findBodies([...this.nodes.values()]);
    const judged = this.#judgeBodies(this.#judge, new Set(named.map(keyOfWanted)));
    return [...fresh, ...(await this.#describe([...named, ...judged])).flatMap((found) => this.#acceptOne(found))];
  }

  #acceptOne(found: Found): TaintNode[] {
    const reason = this.#reasons.get(keyOf(found.class, found.oid));
    if (found.via === '0') return reason === undefined ? [] : this.#add(found, { reason, via: undefined });
    const key = keyOf(found.viaClass, found.via);
    const runner = this.#runners.get(key);
    const via = this.nodes.get(key) ?? this.#builtins.get(key) ?? runner;
    if (runner !== undefined && finders.has(runner.name)) {
      this.#finding.push(found);
      return [];
    }
    return via !== undefined && counts(found, via) ? this.#add(found, { reason: undefined, via }) : [];
  }

  /** Something that runs SQL it has as a string, and that we can read the text of. */
  #isText({ class: objectClass, via, viaClass, how, description }: Found): boolean {
    if (!this.#runners.has(keyOf(viaClass, via)) || how !== 'calls') return false;
    return objectClass === catalogs.relation || (objectClass === catalogs.function && description.kind !== 'aggregate');
  }

  /** Whether there were any that are not known. */
  async #loadTexts(found: readonly Found[]): Promise<boolean> {
    // What it asks the server for is not its own text.
    const own = this.#bodies.filter(({ text }) => text !== asked);
    const known = new Set(own.map((body) => keyOf(body.class, body.oid)));
    const wanted = found.filter((one) => !known.has(keyOf(one.class, one.oid)));
    const of = (objects: string) => [...new Set(wanted.filter((one) => one.class === objects).map(({ oid }) => oid))];
    if (wanted.length > 0) this.#bodies.push(...(await openTexts(this.#run, of(catalogs.relation), of(catalogs.function))));
    return wanted.length > 0;
  }

  get #clean(): readonly Body[] {
    return this.#bodies.filter((body) => !this.nodes.has(keyOf(body.class, body.oid)));
  }

  #findBodies(fresh: readonly TaintNode[]): Wanted[] {
    if (fresh.length === 0) return [];
    return this.#clean.flatMap((body) => {
      const via = fresh.find((node) => this.#leadsTo(body, node));
      return via === undefined ? [] : [{ class: body.class, oid: body.oid, via, how: 'calls' }];
    });
  }

  #judgeBodies(judge: Judge, except: ReadonlySet<string>): Wanted[] {
    return this.#clean.flatMap((body) => {
      const key = keyOf(body.class, body.oid);
      const reason = except.has(key) ? undefined : judge(body);
      if (reason === undefined) return [];
      this.#reasons.set(key, reason);
      return [{ class: body.class, oid: body.oid, via: undefined, how: 'body' }];
    });
  }

  #leadsTo(body: Body, node: TaintNode): boolean {
    if (node.name === '' || this.#runners.has(keyOf(node.class, node.oid))) return false;
    if (!isUnsaid(node) && !this.#reader.mayName(body, node.name)) return false;
    const { uses, anyType, named } = this.#reader.read(body);
    // The server's own do what they say: `quote_literal` of anything.
    const ownTypes = anyType && isUserType(body.oid);
    const matching = {
      providers: this.providers,
      path: pathOf(body),
      inherited: this.#paths,
      strict: false,
      rows: noRows,
      anyType: ownTypes,
    };
    const found = findUse(node, uses, matching) ?? findUse(node, named, { ...matching, anyType: true });
    return found !== undefined;
  }

  async #describe(wanted: readonly Wanted[]): Promise<Found[]> {
    if (wanted.length === 0) return [];
    const list = (of: (one: Wanted) => string) => `{${wanted.map(of).join(',')}}`;
    const params = [
      list((one) => one.class),
      list((one) => one.oid),
      list(({ via }) => via?.class ?? '0'),
      list(({ via }) => via?.oid ?? '0'),
      list((one) => one.how),
      list(() => '""'),
    ];
    return (await this.#run(describing, params)).map(parseFound);
  }

  async #dependents(nodes: readonly TaintNode[]): Promise<Found[]> {
    if (nodes.length === 0) return [];
    const list = (of: (node: TaintNode) => string) => `{${nodes.map(of).join(',')}}`;
    const params = [list((node) => node.class), list(({ oid }) => oid), list(({ immutable }) => String(immutable))];
    return (await this.#run(formatDependents(this.#major), params)).map(parseFound);
  }

  async #loadProviders(nodes: readonly TaintNode[]): Promise<void> {
    const wanted = nodes.flatMap(({ shadows, needs, row, class: objectClass }) => [
      ...(shadows || objectClass === catalogs.cast ? needs : []),
      ...(row === undefined ? [] : [row]),
    ]);
    const types = [...new Set(wanted)].filter((type) => isUserType(type) && !this.providers.has(type));
    if (types.length === 0) return;
    for (const [root, relations, functions, names, operators, anywhere, origins] of await this.#run(providersSql, [
      `{${types.join(',')}}`,
    ])) {
      this.providers.set(root ?? '', {
        relations: parseNames(relations),
        functions: parseNames(functions),
        types: parseNames(names),
        operators: parseNames(operators),
        anywhere: anywhere === 't',
        origins: parseNames(origins),
      });
    }
  }
}

/** A statement that calls it is refused by its text, unless it names what is read. */
function isJudgedByText({ how, class: objectClass }: Found, { name }: TaintNode): boolean {
  return how === 'named' && objectClass === catalogs.function && denialOfFunction(undefined, name)?.unlessNamed !== undefined;
}

/** A function can have a search path of its own, and can set one while it runs. */
function pathOf({ settings, text }: Body): string {
  return /search_path/i.test(text) ? `${settings}\n${text}` : settings;
}

/** A body can use it without its name: an operator for IN, a cast to `int4` where it says `integer`. */
function isUnsaid({ class: objectClass, name }: TaintNode): boolean {
  return objectClass === catalogs.cast || (objectClass === catalogs.operator && isUnwritten(name));
}

function keyOfWanted(wanted: Wanted): string {
  return keyOf(wanted.class, wanted.oid);
}

/** A cast that nobody has to write makes the values of its types dangerous. */
function castsOf(nodes: readonly TaintNode[]): Wanted[] {
  const casts = nodes.filter(({ class: objectClass, implicit }) => objectClass === catalogs.cast && implicit);
  return casts.flatMap((via) => {
    const type = [...via.needs, via.target ?? '0'].find(isUserType);
    return type === undefined ? [] : [{ class: catalogs.type, oid: type, via, how: 'cast' }];
  });
}

/** Whether a dependency means that reading the one runs the other. */
function counts({ how, description }: Found, via: TaintNode): boolean {
  // Its rows are there already.
  if (how === 'calls' && description.kind === 'materialized view') return false;
  // A table with a column of a domain has values that were checked when they were written.
  if (how === 'column') return via.implicit;
  // The policies of a table count when it is read by its own name.
  if (how === 'child') return via.how !== 'policy';
  return true;
}

function parseNames(json: string | null | undefined): ReadonlySet<string> {
  // We asked for it in this form.
  return new Set(json ? (JSON.parse(json) as string[]) : []);
}
