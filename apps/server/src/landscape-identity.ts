/** The fact in the store that says to which landscape it belongs: the identity of its keys. */
export const landscapeIdentityFact = 'landscape-identity';
