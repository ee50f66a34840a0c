/**
 * The comment in front of a statement, by which it is recognized in the list of sessions; empty without a tag. In front, because the lists
 * of servers show the beginning. The maker of the tag has left nothing in it that could end a comment.
 */
export function formatTag({ tag }: { tag?: string | undefined }): string {
  return tag === undefined ? '' : `/* ${tag} */ `;
}
