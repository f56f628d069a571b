import { Failure, type FailureKind } from '../domain/failure.ts';

/** A request that HTTP itself refuses: the failure with a status of its own. */
export class RefusedRequest extends Failure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, kind: FailureKind, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(kind, message);
    this.name = 'RefusedRequest';
    this.status = status;
    this.headers = headers;
  }
}
