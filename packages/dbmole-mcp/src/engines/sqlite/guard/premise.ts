/** The premise of a statement whose text alone decides. Any other one is the stamp of a schema. */
export const textPremise = 'text';
