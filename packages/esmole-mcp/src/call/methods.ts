export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;
export type Method = (typeof methods)[number];
