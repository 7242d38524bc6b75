/** What a client must be allowed to do, in terms of the kinds of the group. */
export interface RouteAccess {
  /** The plural of the kind. */
  readonly resource: string;
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'delete';
}
