const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** P2 becomes something that is of no column. */
export const constant = words(
  `Integer Int64 Real String8 String Blob Variable Count ReadCookie Sequence NewRowid CreateBtree Destroy JournalMode Pagecount MaxPgcnt
  VCheck GetSubtype`,
);

/** P3 is computed of P1 and P2. */
export const binary = words('Concat Add Subtract Multiply Divide Remainder BitAnd BitOr ShiftLeft ShiftRight And Or');

/** P2 is computed of P1. */
export const unary = words('Not BitNot IsTrue');

/** These move no value from one place to another. What they compare is noted. */
const ignored = words(
  `Init Trace Noop Explain Goto Return EndCoroutine Yield HaltIfNull Halt FkCheck CollSeq MustBeInt RealAffinity Affinity TypeCheck
  Eq Ne Lt Le Gt Ge ElseEq Permutation Compare Jump Once If IfNot IsNull NotNull IsType IfNullRow
  Savepoint AutoCommit Transaction SetCookie OpenRead OpenWrite ReopenIdx OpenDup OpenEphemeral OpenAutoindex SorterOpen SequenceTest
  OpenPseudo Close ColumnsUsed SeekLT SeekLE SeekGE SeekGT SeekScan SeekHit IfNotOpen IfNoHope NoConflict NotFound Found SeekRowid NotExists
  Delete ResetCount SorterCompare NullRow SeekEnd Last IfSizeBetween SorterSort Sort Rewind IfEmpty SorterNext Prev Next
  IdxDelete DeferredSeek FinishSeek IdxLE IdxGT IdxLT IdxGE IFindKey Clear ResetSorter ParseSchema LoadAnalysis DropTable DropIndex DropTrigger
  FkCounter FkIfZero IfPos IfNotZero DecrJumpZero Expire CursorLock CursorUnlock TableLock VBegin VCreate VDestroy VOpen VNext VRename
  ClrSubtype SetSubtype FilterAdd Filter CursorHint Abortable ReleaseReg`,
);

export function isIgnored(op: string): boolean {
  return ignored.has(op);
}
