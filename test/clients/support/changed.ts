/** A copy of a client's object with some fields replaced, as a user of the client would send it back. */
export const changed = <T extends object>(object: T, fields: Partial<T>): T => Object.assign({}, object, fields);
