# SPDX-License-Identifier: BSD-3-Clause
# Completion of ek(1) for bash: subcommands, options and their values, files, and the names in the
# library's tables. The words come from the tool itself (--help, list --plain), so this file needs
# no change when the tool gets new options or names.

_ek_names()
{
	"$1" list "$2" --plain --quiet 2>/dev/null | cut -f 1
}

# Prints the options of subcommand $2 (such as "spmv" or "bench scan") of tool $1, one on each
# line: --name, or --name=KIND if the option needs a value.
_ek_options()
{
	# shellcheck disable=SC2086 # $2 is split into the words of the subcommand
	"$1" $2 --help 2>/dev/null | sed -nE 's/^ +(-., )?(--[a-z0-9-]+(=[^ ]+)?).*/\2/p' | sort -u
}

# Prints the completions of the word $2: names of list $4 that match $6. If $2 has a name already,
# as in "sell:c=8,", prints the parameters of that name, which are in field $5 of the list. If $3 is
# "list", the option takes several names, so that further names can follow a comma. $1 is the tool.
_ek_items()
{
	local head=${2%"${2##*[:,]}"} name=${2%:*} pairs=${2##*:}

	pairs=${pairs%"${pairs##*,}"}
	{
		if [[ $2 == *:* && $pairs =~ ^([a-z]+=[^,]*,)*$ ]]; then
			"$1" list "$4" --plain --quiet 2>/dev/null |
				awk -F '\t' -v name="${name##*,}" -v field="$5" '$1 == name { print $field }' |
				sed 's/.*; parameters: //' |
				grep -oE '(^|, )[a-z]+ [0-9]+ to' | sed -E 's/^(, )?([a-z]+) .*/\2=/'
		fi
		if [[ $2 != *[:,]* || ( $3 == list && $head == *, ) ]]; then
			_ek_names "$1" "$4" | grep -e "$6"
			# Also propose names of methods without the operation in front, but only
			# after a first letter is typed.
			[[ $4 == methods && -n ${2##*,} ]] && _ek_names "$1" "$4" | sed -n "s/$6//p"
		fi
	} | sed "s|^|$head|"
}

# Prints the values that option $3 of subcommand $2 accepts. $4 is the part of the value typed so
# far. The word "FILE" stands for names of files. $1 is the tool.
_ek_values()
{
	local kind of list=

	[[ $2 == "bench "* ]] && list=list
	case $3 in
	--method)
		of=spmv
		case $2 in
		"bench spmv" | "bench scenario" | "bench regret" | "bench convert") ;;
		"bench "*) of=${2#bench } ;;
		spmm) of=spmm ;;
		multiply) of=spgemm ;;
		add) of=spadd ;;
		spmspv) of=spmspv ;;
		triple) of=triple ;;
		transpose) of=transpose ;;
		dot) of="dot" ;;
		vector-add) of=add ;;
		esac
		[[ $4 == *[:,]* ]] || echo auto
		[[ $of == spmv && $2 != "bench convert" && $4 != *[:,]* ]] && echo learned
		[[ $2 == bench* && $2 != "bench convert" && $4 != *[:,]* ]] && echo all
		_ek_items "$1" "$4" "$list" methods 5 "^$of\."
		return ;;
	--device)
		echo gpu
		echo cuda
		echo opencl
		_ek_names "$1" devices
		return ;;
	--type) [[ $2 == bench* ]] && echo "i32 i64 f32 f64"; return ;;
	-o | --output | --output-p | --json | --y0 | --from | --add) echo FILE; return ;;
	-f) echo "mtx ekm"; return ;;
	--suite) printf '%s\n' twins products speculative adaptive segspmv scan paper real nasty small demo learn FILE; return ;;
	--format) _ek_items "$1" "$4" "$list" formats 4 .; return ;;
	esac
	kind=$(_ek_options "$1" "$2" | grep -e "^$3=" | head -n 1)
	kind=${kind#*=}
	case $kind in
	*FILE*) echo FILE ;;
	*"|"*) echo "${kind//|/ }" ;;
	esac
}

# Prints "key=" for every parameter of the generator $2. $1 is the tool.
_ek_parameters()
{
	"$1" list generators --plain 2>/dev/null | awk -F '\t' -v name="$2" '$1 == name { print $3 }' |
		sed 's/^[^:]*://' | tr , '\n' | sed 's/=.*/=/'
}

# Prints words for an argument that is not an option. $1 is the tool, $2 the subcommand, $3 the part
# of the word typed so far, and $4 the first argument of the subcommand.
_ek_arguments()
{
	local head
	case $2 in
	help) "$1" --help | sed -n 's/^  ek \([a-z-]*\) .*/\1/p' ;;
	list) echo operations methods generators twins formats devices layout ;;
	bench) [[ -n $4 ]] || "$1" bench --help | sed -n 's/^  ek bench \([a-z_]*\) .*/\1/p' ;;
	reproduce) COLUMNS=400 "$1" reproduce --list 2>/dev/null | awk 'NR > 2 { print $1 }' ;;
	esac
	case $2 in
	help | list | reproduce) return ;;
	bench) [[ -n $4 ]] || return ;;
	esac
	if [[ $3 == twin:* ]]; then
		_ek_names "$1" twins | sed 's/^/twin:/'
	elif [[ $3 == *:* ]]; then
		head=${3%"${3##*[:,]}"}
		_ek_parameters "$1" "${3%%:*}" | sed "s|^|$head|"
	elif [[ $2 == generate && $4 == twin ]]; then
		_ek_names "$1" twins
	elif [[ $2 == generate && -n $4 ]]; then
		_ek_parameters "$1" "$4"
	elif [[ $2 == generate ]]; then
		_ek_names "$1" generators
	else
		_ek_names "$1" generators
		_ek_names "$1" twins
	fi
}

_ek()
{
	local tool=${COMP_WORDS[0]} line=${COMP_LINE:0:COMP_POINT} cur previous sub options first word cut
	local -a words list
	local candidates files=

	# Cut the line into words as the shell would. COMP_WORDS is also cut at = and :.
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	cur=${words[-1]}
	previous=${words[-2]}
	sub=${words[1]}
	options=$sub
	for word in "${words[@]:2:${#words[@]}-3}"; do
		[[ $word != -* && -z $first ]] && first=$word
	done
	[[ $sub == bench && -n $first ]] && options="bench $first"
	if ((${#words[@]} == 2)); then
		candidates="$("$tool" --help 2>/dev/null | sed -n 's/^  ek \([a-z-]*\) .*/\1/p') --help --version"
	elif [[ $cur == --*=* ]]; then
		candidates=$(_ek_values "$tool" "$options" "${cur%%=*}" "${cur#*=}")
		[[ ${candidates##*$'\n'} == FILE ]] && candidates=${candidates%FILE} files=1
		cur=${cur#*=}
	elif [[ $previous == -* && -n $(_ek_values "$tool" "$options" "$previous" "$cur") ]]; then
		candidates=$(_ek_values "$tool" "$options" "$previous" "$cur")
		[[ ${candidates##*$'\n'} == FILE ]] && candidates=${candidates%FILE} files=1
	elif [[ $cur == -* ]]; then
		candidates=$(_ek_options "$tool" "$options" | sed 's/=.*/=/')
	else
		candidates=$(_ek_arguments "$tool" "$sub" "$cur" "$first")
		[[ $sub == bench && -z $first ]] ||
			[[ $sub != list && $sub != help && $sub != generate && $sub != tune && $sub != reproduce ]] && files=1
	fi
	mapfile -t list < <(compgen -W "$candidates" -- "$cur")
	if [[ -n $files || ( -z $candidates && $cur == "" && $line == *= ) ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t -O "${#list[@]}" list < <(compgen -f -- "$cur")
	fi
	# readline replaces only what follows the last = or :, so cut the part before it off the
	# proposals.
	cut=${cur%"${cur##*[=:]}"}
	COMPREPLY=("${list[@]#"$cut"}")
	[[ ${#list[@]} -eq 1 && ${list[0]} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}
complete -F _ek ek
