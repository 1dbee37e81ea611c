// Undo and redo without end: every value that there was. The last ones survive a reload.

// So many steps are kept for a reload: each is written again with every change.
const KEPT = 100;

export class History {
  #past = [];
  #future = [];

  /** Begin with a value, or with what toJSON gave as long as its value is the same. */
  constructor(value, kept = null) {
    this.value = value;
    if (kept && JSON.stringify(kept.value.alignment) === JSON.stringify(value.alignment)) {
      this.#past = kept.past;
      this.#future = kept.future;
    }
  }

  /** What a history that goes on is made of. */
  toJSON() {
    return { value: this.value, past: this.#past.slice(-KEPT), future: this.#future.slice(-KEPT) };
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
