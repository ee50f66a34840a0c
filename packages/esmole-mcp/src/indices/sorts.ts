export const sorts = ['name', 'docs', 'size', 'health'] as const;
export type Sort = (typeof sorts)[number];
