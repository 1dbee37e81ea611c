// Undo and redo without end: every value that there was.

export class History {
  #past = [];
  #future = [];

  constructor(value) {
    this.value = value;
  }

  /** Go on with a new value; what was undone before is forgotten. */
  change(value) {
    this.#past.push(this.value);
    this.#future = [];
    this.value = value;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  /** Return whether there was a step to undo. */
  undo() {
    if (!this.canUndo) return false;
    this.#future.push(this.value);
    this.value = this.#past.pop();
    return true;
  }

  /** Return whether there was a step to redo. */
  redo() {
    if (!this.canRedo) return false;
    this.#past.push(this.value);
    this.value = this.#future.pop();
    return true;
  }
}
