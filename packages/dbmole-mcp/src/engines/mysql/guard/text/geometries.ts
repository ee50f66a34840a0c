import { findClosing, isName, noToken, type Token } from '../../../../statement/tokens.ts';
import { foldName } from '../judge-call.ts';
import { notARead } from '../refuse.ts';

const list = (text: string): ReadonlySet<string> => new Set(text.trim().toUpperCase().split(/\s+/));

/** Functions that return a geometry with more points than their arguments have, or with as many. */
const makers = list('buffer st_buffer st_difference st_intersection st_simplify st_symdifference st_union st_validate');

/** Functions whose time grows at least with the square of the number of points. */
const costly: ReadonlySet<string> = new Set([
  ...makers,
  ...list(`crosses distance issimple touches st_contains st_crosses st_disjoint st_distance st_equals st_frechetdistance
    st_hausdorffdistance st_intersects st_issimple st_isvalid st_overlaps st_relate st_touches st_within`),
]);

/** Functions whose results are about as short as their arguments, and words of the grammar before a parenthesis. */
const short: ReadonlySet<string> = new Set([
  ...costly,
  ...list(`point linestring polygon multipoint multilinestring multipolygon geometrycollection st_geomfromtext st_geometryfromtext
    st_pointfromtext st_linefromtext st_linestringfromtext st_polyfromtext st_polygonfromtext st_mpointfromtext st_mlinefromtext
    st_mpolyfromtext st_geomfromwkb st_geometryfromwkb st_geomfromgeojson st_pointfromgeohash st_makeenvelope st_transform st_swapxy
    st_srid st_x st_y st_latitude st_longitude st_astext st_aswkt st_aswkb st_asbinary st_asgeojson st_geohash st_area st_length
    st_centroid st_envelope st_startpoint st_endpoint st_pointn st_numpoints st_exteriorring st_dimension st_geometrytype st_isempty
    st_isclosed st_distance_sphere mbrcontains mbrcoveredby mbrcovers mbrdisjoint mbrequals mbrintersects mbroverlaps mbrtouches
    mbrwithin count sum avg min max any_value row_number rank dense_rank abs round floor ceil ceiling truncate sqrt pow power sin cos
    tan asin acos atan atan2 radians degrees pi mod least greatest coalesce ifnull nullif if isnull now curdate date year month day
    datediff date_add date_sub date_format upper lower trim length char_length left right substring format
    in and or xor not on where having by over as using select from join straight_join exists any all some case when then else between
    like div distinct values row index key for partition union except intersect with lateral interval`),
]);

/** A literal point has about ten characters, so a statement holds less than a thousand. */
const maxLength = 8_000;
const fromText = list('st_geomfromtext st_geometryfromtext');
/** Words before a placeholder that compare or limit, so that its value does not become a geometry. */
const beforeValue = list('= < > limit offset between');

/**
 * Refuses functions over geometries that the statement itself could make large: the servers neither limit nor stop them, and a line
 * of some ten thousand points takes days. Geometries of tables are accepted, whatever their size.
 */
export function refuseLargeGeometries(tokens: readonly Token[], sql: string): void {
  const isCall = (index: number) => isName(tokens[index] ?? noToken) && tokens[index + 1]?.word === '(';
  const names = tokens.map((token, index) => (isCall(index) ? foldName(token.name) : ''));
  const at = names.findIndex((name) => costly.has(name));
  if (at < 0) return;
  const isSmall =
    sql.length <= maxLength && names.filter((name) => makers.has(name)).length < 2 && !hasLargeParts(tokens, { names, sql });
  if (isSmall) return;
  const { name, start } = tokens[at] ?? noToken;
  throw notARead({
    message: `${name}() can run for days on a geometry that the statement builds, and no time limit stops it`,
    hint: 'Use it only with columns, numbers and short literals, not with variables or functions that return texts.',
    at: start,
  });
}

function hasLargeParts(tokens: readonly Token[], { names, sql }: { names: readonly string[]; sql: string }): boolean {
  for (let index = 0; index < tokens.length; index += 1) {
    const end = findPointEnd(tokens, index, sql);
    if (end > index && !names.slice(index, end).some((name) => costly.has(name))) index = end;
    else if (mayGrow(tokens, index)) return true;
  }
  return false;
}

/** The end of a call whose text is that of a point, whatever it is made of: `ST_GeomFromText(CONCAT('POINT(', …))`. */
function findPointEnd(tokens: readonly Token[], index: number, sql: string): number {
  const [{ word } = noToken, open, concat, , literal] = tokens.slice(index, index + 5);
  if (open?.word !== '(') return index;
  const isConcat = fromText.has(word) && concat?.word === 'CONCAT' && literal?.kind === 'text';
  const isPoint = isConcat && /^.POINT\(/i.test(sql.slice(literal.start, literal.end));
  return isPoint || word === 'ST_POINTFROMTEXT' ? findClosing(tokens, index + 1) : index;
}

function mayGrow(tokens: readonly Token[], index: number): boolean {
  const { kind, word, name } = tokens[index] ?? noToken;
  if (kind === 'variable') return !name.startsWith('@@');
  if (word === '?') return !isPointOrValue(tokens, index);
  if (word === '@' || word === '|' || word === 'RECURSIVE') return true;
  return (kind === 'word' || kind === 'quoted') && tokens[index + 1]?.word === '(' && !short.has(word);
}

/** Whether a placeholder is a coordinate of POINT, or is only compared. */
function isPointOrValue(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.word ?? '';
  const open = before === '(' ? index - 1 : index - 3;
  const isPoint = tokens[open]?.word === '(' && tokens[open - 1]?.word === 'POINT' && (before === '(' || before === ',');
  return isPoint || beforeValue.has(before);
}
