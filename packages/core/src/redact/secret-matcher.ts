export interface Span {
  start: number;
  end: number;
}

type Accepts = (text: string, span: Span) => boolean;

/** Shorter texts cannot be distinguished from ordinary ones. */
export const shortestForm = 6;
/**
 * A longer form, such as a whole private key, is known by its head, and removed as far as the text goes on like it. So no place of a
 * text costs more than this, and what is compared beyond is never looked at again.
 */
const headLength = 256;

/** A tree of forms without regard to case: each node continues its parent's text. */
interface Node {
  label: string;
  children: Node[];
  /** Those whose head ends here. */
  forms: string[];
}

const blockLength = 3;
const maxSkip = shortestForm - blockLength + 1;
/** The slot in a block for any character beyond ASCII. */
const otherUnit = 0x7f;

/**
 * Finds forms of secrets in texts that may be a megabyte long. Most of a text is skipped by three of its characters at a time; where
 * a form may begin, one walk down the tree compares all of them at once, so that their number does not count.
 */
export class SecretMatcher {
  readonly #root: Node = { label: '', children: [], forms: [] };
  /** Indexed by a hash of three characters: how many more have to pass before a form can begin. */
  readonly #skips = new Uint8Array(0x1_0000).fill(maxSkip);
  readonly #accepts: Accepts;
  #longest = 0;

  /** Without a condition, a form is found everywhere. */
  constructor(accepts: Accepts = () => true) {
    this.#accepts = accepts;
  }

  /** Characters of the longest form. */
  get longest(): number {
    return this.#longest;
  }

  /** A form that is too short is ignored. */
  add(form: string): void {
    if (form.length < shortestForm) return;
    this.#longest = Math.max(this.#longest, form.length);
    if (addTo(this.#root, form) >= shortestForm) return;
    for (let skip = 0; skip < maxSkip; skip += 1) {
      const blocks = blocksLike(form, shortestForm - blockLength - skip);
      for (const block of blocks) this.#skips[block] = Math.min(this.#skips[block] ?? 0, skip);
    }
  }

  /** The first form that begins in this part of the text, as long as possible. */
  find(text: string, from: number, to = text.length): Span | undefined {
    if (this.#longest === 0) return undefined;
    const last = Math.min(to - 1, text.length - shortestForm);
    for (let start = from; start <= last; ) {
      const skip = this.#skips[hashBlock(text, start + shortestForm - blockLength)] ?? 0;
      const end = skip === 0 ? endOfForm(this.#root, text, start) : undefined;
      if (end !== undefined && this.#accepts(text, { start, end })) return { start, end };
      start += Math.max(skip, 1);
    }
    return undefined;
  }
}

/** Returns how many characters of the form the tree had already. */
function addTo(root: Node, form: string): number {
  const length = Math.min(form.length, headLength);
  const folded = String.fromCharCode(...Array.from({ length }, (_, at) => foldUnit(form.charCodeAt(at))));
  let node = root;
  let at = 0;
  while (at < folded.length) {
    const child = childAt(node, folded.charCodeAt(at));
    if (!child) {
      node.children.push({ label: folded.slice(at), children: [], forms: [form] });
      return at;
    }
    let shared = 1;
    while (shared < child.label.length && child.label[shared] === folded[at + shared]) shared += 1;
    if (shared < child.label.length) split(child, shared);
    node = child;
    at += shared;
  }
  if (!node.forms.includes(form)) node.forms.push(form);
  return at;
}

function childAt(node: Node, unit: number): Node | undefined {
  return node.children.find(({ label }) => label.charCodeAt(0) === unit);
}

function split(node: Node, at: number): void {
  node.children = [{ ...node, label: node.label.slice(at) }];
  node.label = node.label.slice(0, at);
  node.forms = [];
}

function endOfForm(root: Node, text: string, start: number): number | undefined {
  let end: number | undefined;
  let at = start;
  for (let node: Node | undefined = root; node; ) {
    node = at < text.length ? childAt(node, foldUnit(text.charCodeAt(at))) : undefined;
    if (!node || sharedLength(node.label, text, at) < node.label.length) return end;
    at += node.label.length;
    if (node.forms.length > 0 && isWritten(node.forms, text.slice(start, at)))
      end = Math.max(...node.forms.map((form) => start + sharedLength(form, text, start)));
  }
  return end;
}

/** For how many characters the text goes on like this one, but for its case. */
function sharedLength(one: string, text: string, index: number): number {
  const length = Math.min(one.length, text.length - index);
  for (let at = 0; at < length; at += 1) {
    const [unit, shown] = [one.charCodeAt(at), text.charCodeAt(index + at)];
    if (unit !== shown && foldUnit(unit) !== foldUnit(shown)) return at;
  }
  return length;
}

/**
 * Whether it is written as it is, or all in upper case, in lower case or with capital initials. Any other mixture is another word.
 */
function isWritten(forms: readonly string[], shown: string): boolean {
  if (forms.some((form) => form.startsWith(shown))) return true;
  const chars = [...shown];
  const isInitial = (index: number) => !/[\p{L}\p{N}]/u.test(chars[index - 1] ?? '');
  const isCapitalized = (char: string, index: number) => (isInitial(index) ? isUpper(char) : isLower(char));
  return chars.every(isLower) || chars.every(isUpper) || chars.every(isCapitalized);
}

function isLower(char: string): boolean {
  return char === char.toLowerCase();
}

/** A letter like ß counts as well, because some servers leave it as it is. */
function isUpper(char: string): boolean {
  const upper = char.toUpperCase();
  return char === upper || upper.length !== char.length;
}

/** One code unit for all that differ in case alone, also where a language has rules of its own, as for i and ı. */
function foldUnit(unit: number): number {
  if (unit < 0x80) return unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
  const char = String.fromCharCode(unit);
  const upper = char.toUpperCase();
  return (upper.length === 1 ? upper : char).toLowerCase().charCodeAt(0);
}

/** Equal for texts that differ in case alone, but for letters of ASCII that have a partner beyond it. */
function hashBlock(text: string, index: number): number {
  const second = foldRoughly(text.charCodeAt(index + 1));
  return joinBlock(foldRoughly(text.charCodeAt(index)), second, foldRoughly(text.charCodeAt(index + 2)));
}

function foldRoughly(unit: number): number {
  return unit < 0x80 ? unit & ~0x20 : otherUnit;
}

function joinBlock(a: number, b: number, c: number): number {
  return ((a << 10) ^ (b << 5) ^ c) & 0xffff;
}

/** The hashes of everything that the three characters may be written as. */
function blocksLike(form: string, index: number): number[] {
  const [as = [], bs = [], cs = []] = [0, 1, 2].map((offset) => {
    const unit = form.charCodeAt(index + offset);
    const folded = foldUnit(unit);
    const hasPartner = unit >= 0x80 ? folded < 0x80 : /[iks]/.test(String.fromCharCode(folded));
    return hasPartner ? [foldRoughly(folded), otherUnit] : [foldRoughly(unit)];
  });
  return as.flatMap((a) => bs.flatMap((b) => cs.map((c) => joinBlock(a, b, c))));
}
